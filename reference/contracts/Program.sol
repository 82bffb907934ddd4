// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// One swap of a program: which pool, and what share of the token at hand it takes.
struct Swap {
    Hop hop;
    Share share;
}

/// A pool and its two tokens in one word. From the lowest bit:
///
/// | bits | field |
/// | --- | --- |
/// | 0..159 | address of the pool |
/// | 160..167 | index of the token that goes in |
/// | 168..175 | index of the token that comes out |
/// | 176..183 | who receives what comes out: the index of a swap, `ROUTER` or `RECEIVER` |
/// | 184 | the pool is concentrated (Uniswap V3), else a constant product (Uniswap V2) |
/// | 185 | the swaps before this one pay straight into the pool |
/// | 186 | the token that goes in is the pool's token0 |
/// | 187 | the pool is one of Balancer's Vault |
/// | 188 | the pool is one of Uniswap V4's manager |
/// | 189 | that pool trades native for the wrapped native token |
/// | 192..215 | fee in millionths of the input, for a constant product and a pool of the manager |
/// | 216..239 | tick spacing, for a pool of the manager |
/// | 192..199 | number of the quote that a concentrated pool is handed, or 0 |
type Hop is uint256;

/// A fraction: the numerator in the upper 128 bits, the denominator in the lower 128.
type Share is uint256;

using HopLibrary for Hop global;
using ShareLibrary for Share global;

/// @title Reads the fields of a hop
library HopLibrary {
    /// The output stays in the router, for several swaps to share.
    uint256 internal constant ROUTER = 0xfe;
    /// The output is what was bought.
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

    /// Whether the pool is said to be of two kinds at once.
    function isMixed(Hop hop) internal pure returns (bool) {
        uint256 kinds = Hop.unwrap(hop) & (0x19 << 184);
        unchecked {
            return kinds & (kinds - 1) != 0;
        }
    }

    /// Whether the router must hold what the swap is paid, since the pool's contract takes it in a way of its own.
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

/// @title Refuses programs that cannot be meant
/// @notice What a program counts in 8 bits is held within 8 bits, so that none of it can be taken
/// for something else; nothing is paid to where no one waits for it, and nothing is left behind.
library ProgramLibrary {
    error TokensOutOfRange(uint256 count);
    error TooManySwaps(uint256 count);
    error InvalidHop(uint256 index);
    error LeftInRouter(uint256 tokens);

    /// Reverts unless there are 2 to 256 tokens and 254 swaps at most, each swap is valid, and every
    /// token that the router is given is taken from it again, to the last base unit.
    function check(uint256 tokenCount, Swap[] calldata swaps, bool sells) internal pure {
        if (tokenCount < 2 || tokenCount > 256) revert TokensOutOfRange(tokenCount);
        if (swaps.length > HopLibrary.ROUTER) revert TooManySwaps(swaps.length);
        uint256 last = tokenCount - 1;
        // A bit for each token. Given to the router, with exact input not all taken yet; and paid upstream.
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
                // The sender pays at the swap itself, and so does a concentrated pool's callback;
                // the Vault and the manager take what they are paid from the router.
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
        // With exact output all is taken that was asked for, unless pools that are paid upstream asked too.
        uint256 left = sells ? pooled : pooled & direct;
        if (left != 0) revert LeftInRouter(left);
    }
}

/// @title Takes a fraction of an amount
library ShareLibrary {
    /// The share of `whole`, rounded down; all of it when the fraction is one, so that nothing is left.
    function ofWhole(Share share, uint256 whole) internal pure returns (uint256) {
        if (share.isWhole()) return whole;
        return whole * (Share.unwrap(share) >> 128) / uint128(Share.unwrap(share));
    }

    /// Whether the fraction is one.
    function isWhole(Share share) internal pure returns (bool) {
        return Share.unwrap(share) >> 128 == uint128(Share.unwrap(share));
    }
}
