using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// The work that a publisher may cause with one read before the loop serves others, counted in bytes. Written bytes
/// use it up, and other work counts as the number of bytes that takes as long. Used on its loop only.
/// </summary>
internal struct WorkBudget
{
    // With so many bytes at a time, few send calls are needed.
    private const long MaxBytes = 1024 * 1024;

    // The same limit if very many clients receive messages and one iteration sends to few of them: about 32 KB for each
    // send.
    private const long MaxBytesBehind = 256 * 1024;
    private const int BytesPerStep = 48;
    private const int BytesPerSkipped = 8;
    private const int BytesPerDelivery = 128;

    // The number of bytes that the loop has written when the publisher must yield.
    private long _yieldAt;

    /// <summary>Begins a new budget.</summary>
    /// <param name="written">The number of bytes that the loop has written so far.</param>
    /// <param name="isBehind">Whether more buffers wait than one iteration of the loop flushes.</param>
    internal void Begin(long written, bool isBehind) => _yieldAt = written + (isBehind ? MaxBytesBehind : MaxBytes);

    /// <summary>Whether the budget is used up when the loop has written so many bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsUsedUp(long written) => written >= _yieldAt;

    /// <summary>Charges work that writes no bytes, in visited nodes and subscriptions.</summary>
    internal void Charge(long steps) => _yieldAt -= steps * BytesPerStep;

    /// <summary>
    /// Charges for one of very many subscribers of a message, in addition to the written bytes: its memory is read only
    /// once, so the processor has not loaded it.
    /// </summary>
    internal void ChargeDelivery() => _yieldAt -= BytesPerDelivery;

    /// <summary>Charges for subscribers that do not receive a message.</summary>
    internal void ChargeSkipped(long count) => _yieldAt -= count * BytesPerSkipped;
}
