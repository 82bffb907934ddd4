// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// @title Reads the initialized ticks of a pool within a range of its bitmap
/// @dev Never deployed. An `eth_call` that creates the contract returns the constructor's output in
/// place of code, at most 24,576 bytes.
contract ReadTicks {
    struct Source {
        address target;
        /// Functions that return a word of the bitmap, and a tick. Both take an index or a storage slot.
        bytes4 readWord;
        bytes4 readTick;
        /// Slots of the mappings, if the functions take a storage slot; otherwise 0.
        uint256 bitmapSlot;
        uint256 ticksSlot;
        int256 tickSpacing;
    }

    /// Maximum number of ticks at which another word is read. That word may add 256 ticks, for a total of 695.
    uint256 private constant MAX_TICKS_BEFORE_WORD = 439;
    /// Size of a tick: an int24 index, 128 bits of net liquidity and 128 bits of gross liquidity.
    uint256 private constant TICK_BYTES = 35;

    /// Returns the number and timestamp of the block, whether the ticks have the known hash, the index after the
    /// last word read, and the ticks unless their hash is known.
    constructor(Source memory source, int256 firstWord, int256 endWord, bytes32 knownHash) {
        bytes memory ticks = new bytes((MAX_TICKS_BEFORE_WORD + 256) * TICK_BYTES);
        uint256 size = 0;
        int256 word = firstWord;
        for (; word < endWord && size <= MAX_TICKS_BEFORE_WORD * TICK_BYTES; ++word) {
            uint256 bits = _read(source.target, source.readWord, source.bitmapSlot, word);
            for (int256 index = word * 256; bits != 0; ++index) {
                if (bits & 1 == 1) {
                    int256 tick = index * source.tickSpacing;
                    uint256 liquidity = _read(source.target, source.readTick, source.ticksSlot, tick);
                    assembly ("memory-safe") {
                        let at := add(add(ticks, 0x20), size)
                        mstore(at, shl(232, tick))
                        mstore(add(at, 3), liquidity)
                    }
                    size += TICK_BYTES;
                }
                bits >>= 1;
            }
        }
        assembly ("memory-safe") {
            mstore(ticks, size)
        }
        bool isKnown = keccak256(ticks) == knownHash;
        bytes memory all = abi.encode(block.number, block.timestamp, isKnown, word, isKnown ? bytes("") : ticks);
        assembly ("memory-safe") {
            return(add(all, 0x20), mload(all))
        }
    }

    /// Returns the first word of the result. If there are two words, packs gross and net liquidity into one.
    function _read(address target, bytes4 selector, uint256 slot, int256 index) private view returns (uint256 result) {
        uint256 argument = slot == 0 ? uint256(index) : uint256(keccak256(abi.encode(index, slot)));
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, argument)
            let success := staticcall(gas(), target, 0x00, 0x24, 0x00, 0x40)
            if or(iszero(success), lt(returndatasize(), 0x20)) { revert(0x00, 0x00) }
            result := mload(0x00)
            if gt(returndatasize(), 0x3f) { result := or(shl(128, mload(0x20)), shr(128, shl(128, result))) }
        }
    }
}
