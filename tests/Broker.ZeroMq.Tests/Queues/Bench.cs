using System.Buffers.Binary;
using Broker.Transport;

namespace Broker.ZeroMq.Tests.Queues;

/// <summary>A queue of received messages without sockets. The test acts as the loop.</summary>
internal sealed class Bench
{
    private readonly List<ReceiveSource> _resumed = [];

    public Bench(int mostMessages = 1000, long mostBytes = 1 << 20, bool conflates = false, TimeProvider? clock = null, MemoryBudget? budget = null)
    {
        Pool = new MessageChunkPool(budget);
        Queue = new ReceiveQueue(Pool, mostMessages, mostBytes, conflates) { Clock = clock ?? TimeProvider.System };
    }

    public MessageChunkPool Pool { get; }

    public ReceiveQueue Queue { get; }

    public Action? Resumed { get; set; }

    public IReadOnlyList<ReceiveSource> AllResumed
    {
        get
        {
            lock (_resumed)
            {
                return [.. _resumed];
            }
        }
    }

    /// <summary>Creates a peer.</summary>
    public ReceiveSource Source()
    {
        ReceiveSource? source = null;
        return source = new ReceiveSource(peer: null, loop: null, () =>
        {
            lock (_resumed)
            {
                _resumed.Add(source!);
            }

            Resumed?.Invoke();
        });
    }

    public static byte[] Encode(params string[] frames)
    {
        using var message = new ZeroMqMessage(frames);
        return message.Encoded.ToArray();
    }

    /// <summary>Encodes messages that each contain a number.</summary>
    public static byte[] Numbers(int from, int count, int size = 8)
    {
        using var all = new MemoryStream();
        byte[] body = new byte[size];
        byte[] encoded = new byte[ZmtpWriter.FrameSize(size)];
        for (int i = 0; i < count; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(body, from + i);
            ZmtpWriter.WriteMessage(encoded, body);
            all.Write(encoded);
        }

        return all.ToArray();
    }

    public bool Add(ReceiveSource source, params string[] frames)
    {
        byte[] encoded = Encode(frames);
        return Add(source, encoded, 1) == encoded.Length;
    }

    /// <summary>Adds what a loop has read. Returns the number of bytes that the queue accepted.</summary>
    public int Add(ReceiveSource source, ReadOnlySpan<byte> encoded, int messages)
    {
        int most = Math.Min(Queue.Room(source, out long bytes), messages);
        int count = 0;
        int size = 0;
        for (; count < most && size < bytes; count++)
        {
            size += EncodedMessage.Measure(encoded[size..]);
        }

        if (count > 0)
        {
            Queue.Add(source, encoded[..size], count);
        }

        if (count < messages)
        {
            Queue.TryPause(source);
        }

        return size;
    }

    /// <summary>Returns the frames of the next message, joined by a bar, or null if there is no message.</summary>
    public string? TakeNow()
    {
        using var message = new ZeroMqMessage();
        var reader = new Taker(message);
        return Queue.Dequeue(ref reader) == DequeueResult.Taken ? Show(message) : null;
    }

    public string? Take(int attempts, TimeSpan timeout)
    {
        using var message = new ZeroMqMessage();
        var reader = new Taker(message);
        return Queue.Take(ref reader, attempts, timeout) == DequeueResult.Taken ? Show(message) : null;
    }

    /// <summary>Returns the number in the next message, or -1 if there is none.</summary>
    public int TakeNumber()
    {
        var reader = new NumberTaker();
        return Queue.Dequeue(ref reader) == DequeueResult.Taken ? reader.Number : -1;
    }

    private static string Show(ZeroMqMessage message)
        => string.Join('|', Enumerable.Range(0, message.FrameCount).Select(message.GetString));

    public readonly struct Taker(ZeroMqMessage message) : IMessageReader
    {
        public bool TryRead(ReadOnlySpan<byte> encoded, ReceiveSource source)
        {
            message.SetEncoded(encoded);
            return true;
        }
    }

    public struct NumberTaker : IMessageReader
    {
        public int Number { get; private set; }

        public bool TryRead(ReadOnlySpan<byte> encoded, ReceiveSource source)
        {
            Number = BinaryPrimitives.ReadInt32LittleEndian(EncodedMessage.SplitFrame(encoded, out _, out _));
            return true;
        }
    }

    public readonly struct Refuser : IMessageReader
    {
        public bool TryRead(ReadOnlySpan<byte> encoded, ReceiveSource source) => false;
    }
}
