// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Tokens} from "./Tokens.sol";

/// What a market maker signs: up to `takerAmount` of one token for `makerAmount` of another, filled in parts.
struct MakerOrder {
    /// Who signed, and pays by an allowance to `MakerOrders`.
    address maker;
    /// The one caller that may fill the order; zero, anyone.
    address taker;
    /// What the maker pays, and the most of it.
    address makerToken;
    /// What the maker is paid in, and for all of the order.
    address takerToken;
    uint256 makerAmount;
    uint256 takerAmount;
    /// The last block timestamp at which the order holds.
    uint256 expiry;
    /// Tells orders apart that are otherwise equal.
    uint256 salt;
}

/// A signature of an order's EIP-712 hash.
struct Signature {
    bytes32 r;
    bytes32 s;
    uint8 v;
}

/// @title Who fills an order, and pays when called back
interface ISwapCallback {
    /// @notice Pays what is owed.
    /// @param amount0Delta What is owed of token0, if positive
    /// @param amount1Delta What is owed of token1, if positive
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external;
}

/// @title Fills the orders that market makers sign
/// @notice Holds nothing between two calls and has no owner. A maker pays by their allowance to this
/// contract, at most what they signed, and is paid within the same call or all of it reverts.
/// @dev Swaps as a Uniswap V3 pool does, so that a router needs to know nothing else: the order is
/// handed over as the swap's data. Rounding is in the maker's favour.
contract MakerOrders {
    using Tokens for address;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant ORDER_TYPEHASH = keccak256(
        "MakerOrder(address maker,address taker,address makerToken,address takerToken,uint256 makerAmount,uint256 takerAmount,uint256 expiry,uint256 salt)"
    );

    /// How much of an order's `takerAmount` was paid already, by the order's hash.
    mapping(bytes32 hash => uint256) public filled;

    error OrderExpired(uint256 expiry);
    error NothingAsked();
    error WrongTaker(address caller);
    error InvalidSignature(address maker);
    error Overfilled(bytes32 hash, uint256 left);
    error NotPaid(address token, uint256 owed);

    event Filled(bytes32 indexed hash, address indexed maker, uint256 makerAmount, uint256 takerAmount);

    /// @notice Fills a part of an order; the caller pays when it is called back.
    /// @param to Who receives what the maker pays
    /// @param zeroForOne Whether the caller counts the taker's token as token0 of the two
    /// @param amount What is paid to the maker, or if negative, what the maker pays
    /// @param data The order and its signature, ABI-encoded
    /// @return amount0 What the maker received of token0, negative if it was paid out
    /// @return amount1 The same of token1
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

    /// @notice What a maker signs: the EIP-712 hash of an order, on this chain and for this contract.
    /// @param order The order to hash
    function hashOf(MakerOrder memory order) public view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256("Swapcheck Maker Orders"), keccak256("1"), block.chainid, address(this)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(abi.encode(ORDER_TYPEHASH, order))));
    }

    /// Reverts unless the order holds, is for the caller, and was signed by its maker.
    function _check(MakerOrder memory order, Signature memory signature) private view returns (bytes32 hash) {
        if (block.timestamp > order.expiry) revert OrderExpired(order.expiry);
        // By what the maker is paid a fill is counted: without it, nothing would bound what they pay.
        if (order.takerAmount == 0) revert NothingAsked();
        if (order.taker != address(0) && order.taker != msg.sender) revert WrongTaker(msg.sender);
        hash = hashOf(order);
        address signer = ecrecover(hash, signature.v, signature.r, signature.s);
        if (signer == address(0) || signer != order.maker) revert InvalidSignature(order.maker);
    }

    /// What is paid for a fill by either side. No maker gives more than in proportion, and so no more than signed.
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
