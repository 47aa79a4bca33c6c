using System.Runtime.InteropServices;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// The counters of one link. Each loop counts sent messages in a place of its own, so that counting needs no atomic
/// operation.
/// </summary>
internal sealed class LinkCounters(int loops)
{
    private readonly Sent[] _sent = new Sent[loops];
    private long _lost;
    private long _messagesIn;
    private long _bytesIn;
    private long _connects;

    internal long Lost => Interlocked.Read(ref _lost);

    internal long MessagesIn => Interlocked.Read(ref _messagesIn);

    internal long BytesIn => Interlocked.Read(ref _bytesIn);

    internal long Connects => Interlocked.Read(ref _connects);

    internal long MessagesOut => _sent.Sum(static s => s.Messages);

    internal long BytesOut => _sent.Sum(static s => s.Bytes);

    /// <summary>Counts a sent message. Called on the loop that sends.</summary>
    internal void CountSent(EventLoop loop, int payload)
    {
        ref Sent sent = ref _sent[loop.Index];
        sent.Messages++;
        sent.Bytes += payload;
    }

    /// <summary>Counts lost messages. Returns whether they are the first ones. Any thread may call this.</summary>
    internal bool CountLost(long messages) => messages != 0 && Interlocked.Add(ref _lost, messages) == messages;

    /// <summary>Counts received messages. Called on the loop of the link.</summary>
    internal void CountReceived(long messages, long bytes)
    {
        _messagesIn += messages;
        _bytesIn += bytes;
    }

    /// <summary>Counts an established connection. Called on the loop of the link.</summary>
    internal void CountConnect() => _connects++;

    // The size keeps the counters of two loops in different cache lines.
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct Sent
    {
        internal long Messages;
        internal long Bytes;
    }
}
