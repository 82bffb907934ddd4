// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// One swap of a program: its pool, and its share of the token.
struct Swap {
    Hop hop;
    Share share;
}

/// A pool and its two tokens in one word. From the lowest bit:
///
/// | bits | field |
/// | --- | --- |
/// | 0..159 | address of the pool |
/// | 160..167 | index of the input token |
/// | 168..175 | index of the output token |
/// | 176..183 | recipient of the output: the index of a swap, `ROUTER` or `RECEIVER` |
/// | 184 | the pool is concentrated (Uniswap V3), otherwise a constant-product pair (Uniswap V2) |
/// | 185 | previous swaps pay directly into the pool |
/// | 186 | the input token is the pool's token0 |
/// | 187 | the pool belongs to Balancer's Vault |
/// | 188 | the pool belongs to Uniswap V4's manager |
/// | 189 | the manager's pool trades the native token instead of the wrapped native token |
/// | 192..215 | fee in millionths of the input, for a constant-product pair and a pool of the manager |
/// | 216..239 | tick spacing, for a pool of the manager |
/// | 192..199 | number of the quote for a concentrated pool, or 0 |
type Hop is uint256;

/// A fraction: the numerator in the upper 128 bits, the denominator in the lower 128.
type Share is uint256;

using HopLibrary for Hop global;
using ShareLibrary for Share global;

/// @title Reads the fields of a hop
library HopLibrary {
    /// The output stays in the router, and several swaps share it.
    uint256 internal constant ROUTER = 0xfe;
    /// The output is the buy token, and is paid to the receiver of the trade.
    uint256 internal constant RECEIVER = 0xff;

    function pool(Hop hop) internal pure returns (address) {
        return address(uint160(Hop.unwrap(hop)));
    }

    function tokenIn(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 160) & 0xff;
    }

    function tokenOut(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 168) & 0xff;
    }

    function target(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 176) & 0xff;
    }

    function isConcentrated(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 184) != 0;
    }

    function isPaidUpstream(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 185) != 0;
    }

    function isZeroForOne(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 186) != 0;
    }

    function isOfVault(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 187) != 0;
    }

    function isOfManager(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 188) != 0;
    }

    function isNative(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (1 << 189) != 0;
    }

    /// Returns whether the pool is marked as several kinds.
    function isMixed(Hop hop) internal pure returns (bool) {
        uint256 kinds = Hop.unwrap(hop) & (0x19 << 184);
        unchecked {
            return kinds & (kinds - 1) != 0;
        }
    }

    /// Returns whether the router must hold the input: the Vault and the manager take it from the router.
    function isPaidByRouter(Hop hop) internal pure returns (bool) {
        return Hop.unwrap(hop) & (3 << 187) != 0;
    }

    function tickSpacing(Hop hop) internal pure returns (int24) {
        return int24(uint24(Hop.unwrap(hop) >> 216));
    }

    function feePips(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 192) & 0xffffff;
    }

    function quote(Hop hop) internal pure returns (uint256) {
        return (Hop.unwrap(hop) >> 192) & 0xff;
    }
}

/// @title Rejects invalid programs
/// @notice Ensures that counts fit into the 8 bits that encode them, so that no field overflows into another.
/// Also ensures that a pool is paid only if it expects the payment, and that nothing is left in the router.
library ProgramLibrary {
    error TokensOutOfRange(uint256 count);
    error TooManySwaps(uint256 count);
    error InvalidHop(uint256 index);
    error LeftInRouter(uint256 tokens);

    /// Reverts unless there are 2 to 256 tokens and at most 254 swaps, each swap is valid, and
    /// every token that the router receives is sold again completely.
    function check(uint256 tokenCount, Swap[] calldata swaps, bool sells) internal pure {
        if (tokenCount < 2 || tokenCount > 256) revert TokensOutOfRange(tokenCount);
        if (swaps.length > HopLibrary.ROUTER) revert TooManySwaps(swaps.length);
        uint256 last = tokenCount - 1;
        // One bit per token. `pooled`: the router has received the token and, with exact input, has not
        // sold all of it yet. `direct`: previous swaps pay the token directly into a pool.
        uint256 pooled;
        uint256 direct;
        for (uint256 i; i < swaps.length; ++i) {
            Swap calldata swap = swaps[i];
            Hop hop = swap.hop;
            uint256 tokenIn = hop.tokenIn();
            uint256 tokenOut = hop.tokenOut();
            uint256 target = hop.target();
            if (hop.isMixed()) revert InvalidHop(i);
            if (tokenIn >= last || tokenOut == 0 || tokenOut > last || tokenIn == tokenOut) revert InvalidHop(i);
            if (hop.isPaidUpstream()) {
                // The sender pays the sell token. The router pays the Vault and the manager. With
                // exact input, the callback of a concentrated pool pays the pool. So previous swaps
                // must not pay any of these pools.
                if (tokenIn == 0 || hop.isPaidByRouter() || (sells && hop.isConcentrated())) revert InvalidHop(i);
                direct |= 1 << tokenIn;
            } else if (sells && swap.share.isWhole()) {
                pooled &= ~(1 << tokenIn);
            }
            if (tokenOut == last) {
                if (target != HopLibrary.RECEIVER) revert InvalidHop(i);
            } else if (target == HopLibrary.ROUTER) {
                pooled |= 1 << tokenOut;
            } else {
                if (target <= i || target >= swaps.length) revert InvalidHop(i);
                Hop next = swaps[target].hop;
                if (next.tokenIn() != tokenOut || !next.isPaidUpstream()) revert InvalidHop(i);
            }
        }
        // With exact output, the router sells all that it receives of a token, unless a pool that is paid directly
        // also demanded the token.
        uint256 left = sells ? pooled : pooled & direct;
        if (left != 0) revert LeftInRouter(left);
    }
}

/// @title Takes a fraction of an amount
library ShareLibrary {
    /// Returns the share of `whole`, rounded down; all of it if the fraction is one, so that nothing is left.
    function ofWhole(Share share, uint256 whole) internal pure returns (uint256) {
        if (share.isWhole()) return whole;
        return whole * (Share.unwrap(share) >> 128) / uint128(Share.unwrap(share));
    }

    /// Returns whether the fraction is one.
    function isWhole(Share share) internal pure returns (bool) {
        return Share.unwrap(share) >> 128 == uint128(Share.unwrap(share));
    }
}
