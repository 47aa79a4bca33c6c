using System.Buffers.Binary;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>Tests messages around and above 64 KiB, which are received without the loop's buffer.</summary>
public sealed class LargeMessageTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const int Size = 64 * 1024;

    // The header of an array of bytes.
    private const int ArrayHeader = 24;

    [Theory]
    [InlineData(AnyPort)]
    [InlineData("inproc://large-and-small")]
    public async Task Large_and_small_messages_of_several_threads_arrive_once_and_in_order(string endpoint)
    {
        const int Threads = 3;
        const int PerThread = 2_000;
        using var context = new ZeroMqContext();
        await using var pair = new PushPull(context: context, endpoint: endpoint);
        int[] sizes = [8, 40_000, Size, 300, 100_000, 32_768, 8, 70_000];
        Thread[] senders = [.. Enumerable.Range(0, Threads).Select(t => new Thread(() =>
        {
            byte[] body = new byte[sizes.Max()];
            for (int i = 0; i < PerThread; i++)
            {
                Span<byte> message = body.AsSpan(0, sizes[i % sizes.Length]);
                message.Fill((byte)i);
                BinaryPrimitives.WriteInt32LittleEndian(message, (t << 24) | i);
                pair.Push.Send(message);
            }
        }))];
        Array.ForEach(senders, static sender => sender.Start());
        int[] next = new int[Threads];
        for (int n = 0; n < Threads * PerThread; n++)
        {
            byte[] message = pair.Pull.ReceiveBytes();
            int number = BinaryPrimitives.ReadInt32LittleEndian(message);
            int i = number & 0xffffff;
            Assert.Equal(next[number >> 24]++, i);
            Assert.Equal(sizes[i % sizes.Length], message.Length);
            Assert.False(message.AsSpan(4).ContainsAnyExcept((byte)i));
        }

        Assert.All(senders, static sender => Assert.True(sender.Join(Wait.Limit)));
        Assert.False(pair.Pull.HasMessages);
    }

    [Fact]
    public void A_large_message_that_cannot_be_read_is_not_sent_and_the_next_one_is()
    {
        using var pair = new PushPull();
        pair.Push.Send("first");
        Assert.Equal("first", pair.Pull.ReceiveString());
        for (int i = 0; i < 3; i++)
        {
            Assert.Throws<InvalidDataException>(() => pair.Push.Sender.Send(default(Unreadable)));
            pair.Push.Send(new byte[Size + i]);
            Assert.Equal(Size + i, pair.Pull.ReceiveBytes().Length);
        }
    }

    [Fact]
    public void Sending_and_receiving_allocate_the_array_of_a_large_message_and_nothing_else()
    {
        using var pair = new PushPull();
        byte[] body = new byte[Size];
        byte[] buffer = new byte[Size];
        int received = 0;
        for (int i = 0; i < 1_000; i++)
        {
            Exchange();
        }

        Assert.Equal(0, Allocations.Of(Exchange));
        Assert.Equal(Size + ArrayHeader, Allocations.Of(() =>
        {
            pair.Push.Send(body);
            received = pair.Pull.ReceiveBytes().Length;
        }));
        Assert.Equal(Size, received);

        void Exchange()
        {
            pair.Push.Send(body);
            received = pair.Pull.Receive(buffer);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(10)]
    [InlineData(65_536)]
    [InlineData(65_545)]
    [InlineData(70_008)]
    public void A_message_after_a_large_one_may_be_split_anywhere(int split)
    {
        using var pull = new PullSocket();
        using RawPeer peer = new RawPeer(ZeroMqEndpoint.Parse(pull.Bind(AnyPort))).Handshake("PUSH");
        for (int i = 0; i < 4; i++)
        {
            byte[] message = Wire.Message(Wire.Filled(70_000, (byte)i));
            peer.Send(message[..split]);
            Thread.Yield();
            peer.Send(message[split..], Wire.Message([1, 2, 3]));
            Assert.Equal(Wire.Filled(70_000, (byte)i), pull.ReceiveBytes());
            Assert.Equal([1, 2, 3], pull.ReceiveBytes());
        }
    }

    [Theory]
    [InlineData("02 7fffffffffffffff", "frame size limit")]
    [InlineData("02 8000000000000000", "2^63-1")]
    [InlineData("06 7fffffffffffffff", "command size limit")]
    public async Task A_hostile_length_after_a_large_message_is_refused_before_memory_is_allocated(string head, string reason)
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH");
        byte[] large = Wire.Message(Wire.Filled(70_000, (byte)'x'));
        peer.Send(large, large);
        await rig.Messages.TakeAsync();
        await rig.Messages.TakeAsync();
        peer.Send(Wire.Hex(head));
        Assert.Contains(reason, (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        await Wait.UntilAsync(() => rig.Loops.ReceiveBudget.UsedBytes == 0, "received bytes are still counted");
    }

    private readonly struct Unreadable : IRoutableEncoder
    {
        public int EncodedSize => Size;

        public void Encode(Span<byte> destination) => throw new InvalidDataException();

        public bool TryGetAddress(out ReadOnlySpan<byte> address)
        {
            address = default;
            return false;
        }
    }
}
