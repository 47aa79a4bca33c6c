using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Server.Delivery;

/// <summary>What the sessions of one loop share: counters and randomness. Written on that loop only.</summary>
/// <remarks>Padded on both sides, so that loops do not take the line from each other's processor.</remarks>
[StructLayout(LayoutKind.Sequential)]
internal sealed class LoopState
{
    private readonly Padding _before;
    private ulong _random;

    internal LoopState(int index, bool alone)
    {
        Index = index;
        IsAlone = alone;
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

    /// <summary>Whether there is no other loop, so that what is counted per subscription needs no atomic operation.</summary>
    internal bool IsAlone { get; }

    internal long MessagesIn { get; set; }

    internal long BytesIn { get; set; }

    internal long MessagesOut { get; set; }

    internal long BytesOut { get; set; }

    /// <summary>Payload bytes alone, headers included: what nats-server counts.</summary>
    internal long PayloadIn { get; set; }

    internal long PayloadOut { get; set; }

    /// <summary><see cref="BytesOut"/> when the loop last looked at what waits for all clients.</summary>
    internal long BytesOutAtLook { get; set; }

    /// <summary>When <see cref="BytesOut"/> reaches this, whoever publishes now has had his part of the turn.</summary>
    internal long YieldAt { get; set; }

    /// <summary>What the batch that is being read has to deliver still.</summary>
    internal MessageRun Run => field ??= new MessageRun();

    /// <summary>What it has delivered and not counted yet.</summary>
    internal DirectRun DirectRun { get; } = new();

    /// <summary>The same, to a queue group.</summary>
    internal GroupRun GroupRun { get; } = new();

    /// <summary>Whether one of these is anything.</summary>
    internal bool HasRun { get; set; }

    /// <summary>Messages that slow clients lost to what this loop delivered.</summary>
    internal long Dropped { get; set; }

    private readonly Padding _after;

    /// <summary>Ends the run that goes on.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void EndRun()
    {
        HasRun = false;
        if (DirectRun.IsOn)
        {
            DirectRun.End();
        }
        else if (GroupRun.IsOn)
        {
            GroupRun.End();
        }
        else
        {
            Run.Publisher!.DeliverRun();
        }
    }

    /// <summary>A number from 0 to <paramref name="exclusive"/> - 1 (xorshift64*): for choosing, not for secrets.</summary>
    internal int Next(int exclusive)
    {
        ulong x = _random;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        _random = x;
        return (int)(((x * 0x2545F4914F6CDD1D) >> 32) * (ulong)exclusive >> 32);
    }
}
