using System.Buffers.Binary;

namespace Broker.Transport.Tests;

// Messages that are larger than the loop's receive buffer and follow each other.
public abstract partial class TransportCompliance
{
    private const int Prefix = 4;

    [Theory]
    [InlineData(65_545)]
    [InlineData(200_000)]
    public async Task Large_messages_that_follow_each_other_are_hardly_copied(int size)
    {
        using var pairs = new ConnectionPairs(Kind);
        const int Count = 60;
        var received = new List<byte[]>();
        var far = new Probe { WhenReceived = Collect(received) };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        for (int i = 0; i < Count; i++)
        {
            await near.WriteAsync(Framed(size, i));
        }

        await Soon(Wait.UntilAsync(() => CountOf(received) == Count, Cancellation));
        long moved = 0;
        await OnLoopAsync(far.Connection, connection => moved = connection.Loop.BytesMoved);
        Assert.InRange(moved, 0, (long)size * Count / 4);
        Assert.All(received, (message, i) => Assert.Equal(Framed(size, i), message));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(Prefix)]
    [InlineData(Prefix + 1)]
    [InlineData(4_096)]
    [InlineData(65_535)]
    [InlineData(65_536)]
    [InlineData(65_537)]
    [InlineData(69_999)]
    public async Task A_message_after_a_large_one_may_arrive_in_two_parts_and_be_larger_or_small(int split)
    {
        using var pairs = new ConnectionPairs(Kind);
        var received = new List<byte[]>();
        var far = new Probe { WhenReceived = Collect(received) };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        int[] sizes = [70_000, 70_000, 5, 70_000, 300_000, 70_000, 66_000, 12, 1_500_000, 70_000];
        long sent = 0;
        for (int i = 0; i < sizes.Length; i++)
        {
            byte[] message = Framed(sizes[i], i);
            int first = Math.Min(split, message.Length);
            await near.WriteAsync(message.AsMemory(0, first));
            sent += first;
            // The two parts must not be received together.
            await Soon(Wait.UntilAsync(() => far.Connection.ReceivedBytes >= sent, Cancellation));
            await near.WriteAsync(message.AsMemory(first));
            sent += message.Length - first;
        }

        await Soon(Wait.UntilAsync(() => CountOf(received) == sizes.Length, Cancellation));
        Assert.All(received, (message, i) => Assert.Equal(Framed(sizes[i], i), message));
        await Soon(Wait.UntilAsync(() => pairs.Far.ReceiveBudget.UsedBytes == 0, Cancellation));
    }

    private static int CountOf(List<byte[]> messages)
    {
        lock (messages)
        {
            return messages.Count;
        }
    }

    // A message of this size that begins with its size.
    private static byte[] Framed(int size, int number)
    {
        byte[] message = new byte[size];
        BinaryPrimitives.WriteInt32BigEndian(message, size);
        for (int i = Prefix; i < size; i++)
        {
            message[i] = (byte)((i * 7) + (i >> 8) + number);
        }

        return message;
    }

    private static Probe.Receiver Collect(List<byte[]> messages) => (Connection _, ReadOnlySpan<byte> bytes, ref int needed) =>
    {
        int consumed = 0;
        while (true)
        {
            ReadOnlySpan<byte> rest = bytes[consumed..];
            needed = rest.Length < Prefix ? Prefix : BinaryPrimitives.ReadInt32BigEndian(rest);
            if (rest.Length < needed)
            {
                return consumed;
            }

            lock (messages)
            {
                messages.Add(rest[..needed].ToArray());
            }

            consumed += needed;
        }
    };
}
