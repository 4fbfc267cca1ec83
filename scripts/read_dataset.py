#!/usr/bin/env python3
"""Read a dataset of acedrex-trainer, checking every byte, and print it as CSV: one row a ply.

    scripts/read_dataset.py games.acd > games.csv

It follows the format in data/README.md and needs nothing but Python. The rows are those of `acedrex-trainer dataset export`
without what only the rules tell: positions, checks, captures and promotion letters.
"""
import json
import struct
import sys
import zlib

RESULTS = ["1-0", "1/2-1/2", "0-1", "*"]
ENDS = ["checkmate", "stalemate", "bare-king", "repetition", "no-progress", "adjudicated-score", "adjudicated-kings", "ply-cap"]
COLUMNS = "game,ply,move,score_white_cp,result,opening,die,end,stream,openings_tried"


def expect(sound, what):
    if not sound:
        sys.exit(f"{sys.argv[1]}: {what}")


def blocks(data):
    """The mark, the offset and the payload of each block."""
    expect(data[:10] == b"ACEDREX\x1a\x02\x00", "no dataset of format 2")
    at = 10
    while at < len(data):
        expect(at + 12 <= len(data), f"cut off at byte {at}")
        mark, length, crc = struct.unpack_from("<4sII", data, at)
        payload = data[at + 12 : at + 12 + length]
        expect(len(payload) == length and zlib.crc32(data[at : at + 8] + payload) == crc, f"damaged at byte {at}")
        yield mark, at, payload
        at += 12 + length


def records(payload):
    """The games of a block."""
    at = 0
    while at < len(payload):
        game, stream, result, end, flags, opening, tried, n = struct.unpack_from("<QHBBBHHH", payload, at)
        final_hash, fen, at = payload[at + 19 : at + 27], None, at + 27
        if flags & 2:
            length = struct.unpack_from("<H", payload, at)[0]
            fen, at = payload[at + 2 : at + 2 + length].decode(), at + 2 + length
        moves = struct.unpack_from(f"<{n}H", payload, at)
        scores = struct.unpack_from(f"<{n}h", payload, at + 2 * n)
        dice, at = payload[at + 4 * n : at + 4 * n + (n + 1) // 2 * (flags & 1)], at + 4 * n + (n + 1) // 2 * (flags & 1)
        faces = [face for byte in dice for face in (byte & 15, byte >> 4)] or [0] * n
        plies = [(move, None if score == -32768 else score, face or None) for move, score, face in zip(moves, scores, faces)]
        yield game, stream, RESULTS[result], ENDS[end], opening, tried, final_hash, fen, plies


def square(byte):
    return f"{'abcdefghijkl'[byte & 15]}{(byte >> 4) + 1}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        with open(sys.argv[1], "rb") as file:
            data = file.read()
    except OSError as error:
        sys.exit(str(error))
    print(COLUMNS)
    mark, heads, games, positions, text = None, [], 0, 0, lambda value: "" if value is None else value
    for mark, start, payload in blocks(data):
        if mark == b"HEAD":
            heads.append(json.loads(payload))
        elif mark == b"DONE":
            expect(struct.unpack("<QQI", payload) == (games, positions, zlib.crc32(data[:start])), "wrong counts at the end")
        for game, stream, result, end, opening, tried, _, _, plies in records(payload) if mark == b"GAME" else ():
            games, positions = games + 1, positions + len(plies)
            for ply, (move, score, die) in enumerate(plies):
                name = square(move >> 8) + square(move & 255) if move else "pass"
                row = (game, ply, name, text(score), result, int(ply < opening), text(die), end, stream, tried)
                print(*row, sep=",")
    expect(mark == b"DONE" and len(heads) == 2 and heads[0] == heads[1], "the end is missing")


if __name__ == "__main__":
    main()
