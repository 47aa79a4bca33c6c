using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>
/// The counters, random numbers and batches that the sessions of one loop share. Only that loop writes the object.
/// </summary>
/// <remarks>The object has padding on both sides to avoid false sharing between loops.</remarks>
[StructLayout(LayoutKind.Sequential)]
internal sealed class LoopState
{
    // The runtime places fields of struct types after all other fields, in the declared order. So the budget is beside
    // the counters.
    private WorkBudget _budget;
    private readonly Padding _before;
    private ulong _random;
    private SubjectSampler? _sampler;

    internal LoopState(int index, bool alone)
    {
        Index = index;
        IsOnlyLoop = alone;
        _random = (ulong)Random.Shared.NextInt64() | 1;
        _ = _before;
        _ = _after;
    }

    [InlineArray(128)]
    private struct Padding
    {
        private byte _first;
    }

    internal int Index { get; }

    /// <summary>
    /// Whether the server has only this loop. If so, the counts of a subscription need no atomic operation.
    /// </summary>
    internal bool IsOnlyLoop { get; }

    internal long MessagesIn { get; set; }

    /// <summary>
    /// The value of <see cref="MessagesIn"/> at which a message is sampled. Without sampling it is never reached.
    /// </summary>
    internal long NextSample { get; private set; } = long.MaxValue;

    internal long BytesIn { get; set; }

    internal long MessagesOut { get; set; }

    internal long BytesOut { get; set; }

    /// <summary>The received payload bytes, headers included, as nats-server counts them.</summary>
    internal long PayloadIn { get; set; }

    internal long PayloadOut { get; set; }

    /// <summary>
    /// The value of <see cref="BytesOut"/> at the loop's last check of the bytes that are buffered for all clients.
    /// </summary>
    internal long BytesOutAtCheck { get; set; }

    /// <summary>The work budget of the current publisher.</summary>
    internal ref WorkBudget Budget => ref _budget;

    /// <summary>The batch of messages to many subscriptions. It contains messages that are not delivered yet.</summary>
    internal FanOutBatch FanOutBatch => field ??= new FanOutBatch();

    /// <summary>The batch of messages to one client. Its messages are delivered but not counted yet.</summary>
    internal DirectBatch DirectBatch { get; } = new();

    /// <summary>The batch of messages to one queue group. Its messages are delivered but not counted yet.</summary>
    internal GroupBatch GroupBatch { get; } = new();

    /// <summary>The publishers with a message that is delivered in shares.</summary>
    internal PendingPublishers PendingPublishers => field ??= new PendingPublishers();

    /// <summary>The queue groups of the present message to peer servers.</summary>
    internal PeerGroups PeerGroups => field ??= new PeerGroups();

    /// <summary>Whether one of the batches is active.</summary>
    internal bool HasBatch { get; set; }

    /// <summary>The number of messages from this loop that slow clients lost.</summary>
    internal long Dropped { get; set; }

    /// <summary>How often clients of this loop were slowed down because a subscriber read too slowly.</summary>
    internal long Stalls { get; set; }

    /// <summary>The subjects of sampled messages; null without sampling. Any thread may read the property.</summary>
    internal SubjectSampler? Sampler => Volatile.Read(ref _sampler);

    private readonly Padding _after;

    /// <summary>Begins to sample one of <paramref name="interval"/> messages; 0 ends the sampling.</summary>
    internal void SetSampling(int interval)
    {
        Volatile.Write(ref _sampler, interval == 0 ? null : new SubjectSampler(interval));
        ChooseNextSample();
    }

    /// <summary>Samples the present message.</summary>
    // This is a separate method, so that the code for all other messages can keep its values in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void Sample(string account, byte[] subject, int payload)
    {
        _sampler!.Add(account, subject, payload);
        ChooseNextSample();
    }

    /// <summary>Ends the active batch.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void EndBatch()
    {
        HasBatch = false;
        if (DirectBatch.IsActive)
        {
            DirectBatch.End();
        }
        else if (GroupBatch.IsActive)
        {
            GroupBatch.End();
        }
        else
        {
            FanOutBatch.Publisher!.DeliverFanOut();
        }
    }

    /// <summary>
    /// Returns a random number from 0 to <paramref name="exclusive"/> - 1 (xorshift64*). It is not suitable for
    /// secrets.
    /// </summary>
    internal int Next(int exclusive)
    {
        ulong x = _random;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        _random = x;
        return (int)(((x * 0x2545F4914F6CDD1D) >> 32) * (ulong)exclusive >> 32);
    }

    // The distance is random, because clients may publish in a pattern. Its mean is the interval.
    private void ChooseNextSample()
        => NextSample = _sampler is { Interval: var interval } ? MessagesIn + 1 + Next((2 * interval) - 1) : long.MaxValue;
}
