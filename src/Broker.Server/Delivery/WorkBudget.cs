using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// The work that a publisher may cause with one read before the loop serves other connections. The unit is the byte:
/// each written byte counts as one, and other work counts as many bytes as the loop could write in the same time. Used
/// on the publisher's loop only.
/// </summary>
internal struct WorkBudget
{
    // A budget of this size needs few send calls.
    private const long MaxBytes = 1024 * 1024;

    // The budget if very many clients receive messages and one iteration can flush only a part of them. It results in
    // about 32 KB for each send.
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

    /// <summary>Whether the budget is used up.</summary>
    /// <param name="written">The number of bytes that the loop has written so far.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsUsedUp(long written) => written >= _yieldAt;

    /// <summary>Charges work that writes no bytes. A step is a visited node or subscription.</summary>
    internal void Charge(long steps) => _yieldAt -= steps * BytesPerStep;

    /// <summary>
    /// Charges for one of very many subscribers of a message, in addition to the written bytes: its memory is read only
    /// once, so the processor has not loaded it.
    /// </summary>
    internal void ChargeDelivery() => _yieldAt -= BytesPerDelivery;

    /// <summary>Charges for subscribers that do not receive a message.</summary>
    internal void ChargeSkipped(long count) => _yieldAt -= count * BytesPerSkipped;
}
