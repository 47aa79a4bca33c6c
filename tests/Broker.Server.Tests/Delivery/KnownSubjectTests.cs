using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>A message to a subject with a stored route needs neither the router's lock nor a clock.</summary>
public sealed class KnownSubjectTests
{
    private const int Subjects = 1_000;
    private const int Batches = 50;

    // Each batch contains every subject once. The server reads it in one or two reads.
    private static readonly byte[] Batch = Encoding.ASCII.GetBytes(
        string.Concat(Enumerable.Range(0, Subjects).Select(i => $"PUB s.{i} reply.to.me 5\r\nhello\r\n")) + "PING\r\n");

    private static readonly int Heard = Enumerable.Range(0, Subjects).Sum(i => $"MSG s.{i} 1 reply.to.me 5\r\nhello\r\n".Length);

    [Theory]
    [InlineData(1, 0)]
    [InlineData(1, 1)]
    [InlineData(1, 20)]
    [InlineData(4, 4)]
    public async Task A_message_to_a_subject_with_a_stored_route_does_not_take_the_routers_lock(int loops, int readers)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = loops });
        using var crowd = new Crowd(server, readers);
        crowd.Publish(1);
        long before = server.GlobalRouter.Count().LockedSearches;
        Assert.Equal(Subjects, before);

        crowd.Publish(Batches);

        Assert.Equal(before, server.GlobalRouter.Count().LockedSearches);
    }

    [Fact]
    public async Task A_new_subject_takes_the_routers_lock_once()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var crowd = new Crowd(server, 1);
        long before = server.GlobalRouter.Count().LockedSearches;

        crowd.Say("PUB never.seen 0\r\n\r\nPUB never.seen 0\r\n\r\nPUB never.seen 0\r\n\r\n");

        Assert.Equal(before + 1, server.GlobalRouter.Count().LockedSearches);
    }

    [Fact]
    public async Task The_clock_is_read_for_iterations_of_the_loop_and_not_for_messages()
    {
        var time = new CountedTime();
        await using BrokerServer server = await Servers.StartAsync(
            o => o.LoopOptions = new EventLoopOptions { Loops = 1, IdlePolls = 0, TimeProvider = time });
        using var crowd = new Crowd(server, 1);
        crowd.Publish(2);
        long before = time.Reads;

        crowd.Publish(Batches);

        // Iterations and sleeps for a batch cause a few hundred reads of the clock. One read for each message would be
        // fifty thousand.
        Assert.InRange(time.Reads - before, 1, Batches * Subjects / 10);
    }

    private sealed class CountedTime : TimeProvider
    {
        private long _reads;

        internal long Reads => Interlocked.Read(ref _reads);

        public override long GetTimestamp()
        {
            Interlocked.Increment(ref _reads);
            return base.GetTimestamp();
        }

        public override DateTimeOffset GetUtcNow()
        {
            Interlocked.Increment(ref _reads);
            return base.GetUtcNow();
        }
    }

    /// <summary>One publisher and readers that receive all its messages.</summary>
    private sealed class Crowd : IDisposable
    {
        private readonly RawClient _publisher;
        private readonly RawClient[] _readers;

        internal Crowd(BrokerServer server, int readers)
        {
            _publisher = RawClient.Open(server);
            _readers = [.. Enumerable.Range(0, readers).Select(_ => RawClient.Open(server))];
            foreach (RawClient reader in _readers)
            {
                reader.Send("SUB s.> 1\r\nPING\r\n");
                reader.ReadToPong();
            }
        }

        public void Dispose()
        {
            _publisher.Dispose();
            Array.ForEach(_readers, reader => reader.Dispose());
        }

        internal void Say(string operations)
        {
            _publisher.Send(operations + "PING\r\n");
            _publisher.ReadToPong();
        }

        /// <summary>Returns when the server has processed all messages and all readers have received them.</summary>
        internal void Publish(int batches)
        {
            for (int i = 0; i < batches; i++)
            {
                _publisher.Send(Batch);
                _publisher.ReadToPong();
                Array.ForEach(_readers, reader => Assert.Equal(Heard, reader.Sync(Heard).Length));
            }
        }
    }
}
