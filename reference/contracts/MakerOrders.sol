// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Tokens} from "./Tokens.sol";

/// A market maker's order: at most `takerAmount` of one token for `makerAmount` of another. May be
/// filled in parts.
struct MakerOrder {
    /// Signer, who pays through an allowance to `MakerOrders`.
    address maker;
    /// Only caller that may fill the order; zero for anyone.
    address taker;
    /// Token that the maker pays.
    address makerToken;
    /// Token that the maker receives.
    address takerToken;
    /// Payment by the maker for the whole order.
    uint256 makerAmount;
    /// Payment to the maker for the whole order.
    uint256 takerAmount;
    /// Last block timestamp at which the order is valid.
    uint256 expiry;
    /// Distinguishes orders that are otherwise equal.
    uint256 salt;
}

/// A signature of an order's EIP-712 hash.
struct Signature {
    bytes32 r;
    bytes32 s;
    uint8 v;
}

/// @title Caller that fills an order, and pays when it is called back
interface ISwapCallback {
    /// @notice Pays the amount owed.
    /// @param amount0Delta Amount of token0 owed, if positive
    /// @param amount1Delta Amount of token1 owed, if positive
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external;
}

/// @title Fills signed orders of market makers
/// @notice Holds nothing between two calls and has no owner. A maker pays through an allowance to this
/// contract, and at most the signed amount. The maker is paid within the same call, or the call reverts.
/// @dev Swaps like a Uniswap V3 pool and takes the order as the swap's data, so that a router needs no
/// special code. Rounds in favor of the maker.
contract MakerOrders {
    using Tokens for address;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant ORDER_TYPEHASH = keccak256(
        "MakerOrder(address maker,address taker,address makerToken,address takerToken,uint256 makerAmount,uint256 takerAmount,uint256 expiry,uint256 salt)"
    );

    /// Part of an order's `takerAmount` that has been paid, by the order's hash.
    mapping(bytes32 hash => uint256) public filled;

    error OrderExpired(uint256 expiry);
    error NothingAsked();
    error WrongTaker(address caller);
    error InvalidSignature(address maker);
    error Overfilled(bytes32 hash, uint256 left);
    error NotPaid(address token, uint256 owed);

    event Filled(bytes32 indexed hash, address indexed maker, uint256 makerAmount, uint256 takerAmount);

    /// @notice Fills part of an order. The caller pays when it is called back.
    /// @param to Recipient of the maker's payment
    /// @param zeroForOne Whether the taker's token is token0
    /// @param amount Payment to the maker, or if negative, payment by the maker
    /// @param data The order and its signature, ABI-encoded
    /// @return amount0 Amount of token0 that the maker received, negative if the maker paid it
    /// @return amount1 Amount of token1 that the maker received, negative if the maker paid it
    function swap(address to, bool zeroForOne, int256 amount, uint160, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1)
    {
        (MakerOrder memory order, Signature memory signature) = abi.decode(data, (MakerOrder, Signature));
        bytes32 hash = _check(order, signature);
        (uint256 takerAmount, uint256 makerAmount) = _amounts(order, amount);
        uint256 left = order.takerAmount - filled[hash];
        if (takerAmount > left) revert Overfilled(hash, left);
        filled[hash] += takerAmount;
        emit Filled(hash, order.maker, makerAmount, takerAmount);

        order.makerToken.sendFrom(order.maker, to, makerAmount);
        uint256 held = order.takerToken.balanceOf(address(this));
        (amount0, amount1) = zeroForOne
            ? (int256(takerAmount), -int256(makerAmount))
            : (-int256(makerAmount), int256(takerAmount));
        ISwapCallback(msg.sender).uniswapV3SwapCallback(amount0, amount1, "");
        if (order.takerToken.balanceOf(address(this)) < held + takerAmount) {
            revert NotPaid(order.takerToken, takerAmount);
        }
        order.takerToken.send(order.maker, takerAmount);
    }

    /// @notice Returns the EIP-712 hash of an order that a maker signs, for this chain and this contract.
    /// @param order The order to hash
    function hashOf(MakerOrder memory order) public view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256("Swapcheck Maker Orders"), keccak256("1"), block.chainid, address(this)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(abi.encode(ORDER_TYPEHASH, order))));
    }

    /// Reverts unless the order is valid, is for the caller, and was signed by its maker.
    function _check(MakerOrder memory order, Signature memory signature) private view returns (bytes32 hash) {
        if (block.timestamp > order.expiry) revert OrderExpired(order.expiry);
        // Fills are counted by payments to the maker. If such a payment were zero, nothing would
        // limit what the maker pays.
        if (order.takerAmount == 0) revert NothingAsked();
        if (order.taker != address(0) && order.taker != msg.sender) revert WrongTaker(msg.sender);
        hash = hashOf(order);
        address signer = ecrecover(hash, signature.v, signature.r, signature.s);
        if (signer == address(0) || signer != order.maker) revert InvalidSignature(order.maker);
    }

    /// Returns the payments of both sides for a fill. Rounds in favor of the maker, whose price is never worse than signed.
    function _amounts(MakerOrder memory order, int256 amount)
        private
        pure
        returns (uint256 takerAmount, uint256 makerAmount)
    {
        if (amount > 0) {
            takerAmount = uint256(amount);
            makerAmount = takerAmount * order.makerAmount / order.takerAmount;
        } else {
            makerAmount = uint256(-amount);
            takerAmount = (makerAmount * order.takerAmount + order.makerAmount - 1) / order.makerAmount;
        }
    }
}
