using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Rows.Leaf;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

public class LeafRowTests
{
    private const int Messages = 20_000;

    private static readonly IReadOnlyList<ServerCommand> Servers = KnownServers.With([], []);

    private static ServerCommand Ours => Servers.Single(command => command.Name == KnownServers.Ours);

    [Fact]
    public void Every_message_crosses_the_link_of_this_broker_and_of_a_nats_server()
    {
        Missing.Unless(Ours.Hub is not null, KnownServers.Nats);
        Row[] rows = [.. LeafRows.Create().OfType<AcrossLink>()];
        using var resources = new DriverResources();
        foreach (ServerCommand command in Servers)
        {
            using var server = ServerProcess.Start(rows[0].CommandFor(command)!, resources);
            var target = new Target(server, resources.Buffers);

            Assert.All(rows, row =>
            {
                row.Verify(target);
                Measurement measurement = row.Measure(target, Messages);

                Assert.False(measurement.Lost);
                Assert.Equal(Messages, measurement.Messages);
                Assert.True(measurement.CpuSeconds > 0, "The CPU time of the leaf node was not measured.");
            });
        }
    }

    [Fact]
    public void Subscriptions_are_announced_to_the_hub_and_to_the_leaf()
    {
        Missing.Unless(Ours.Hub is not null, KnownServers.Nats);
        using var resources = new DriverResources();
        Row[] rows = [new Announcement("announced", "", 5_000), new Announcement("at the hub", "", 5_000, atHub: true), new RemoteSubscriptions("held", 5_000)];
        using var server = ServerProcess.Start(rows[0].CommandFor(Ours)!, resources);
        var target = new Target(server, resources.Buffers);

        Assert.Equal(5_000, rows[0].Measure(target, 0).Messages);
        Assert.Equal(5_000, rows[1].Measure(target, 0).Messages);
        Footprint? footprint = rows[2].Measure(target, 0).Footprint;

        Assert.NotNull(footprint);
        Assert.Equal(4_900, footprint.Count);
    }

    [Fact]
    public void Without_a_nats_server_no_server_can_be_a_leaf_node()
        => Assert.Null(LeafRows.Create()[0].CommandFor(ServerCommand.Parse("broker=broker -p {port}")));

    [Fact]
    public void All_leaf_nodes_join_the_server_that_is_named_nats_server()
    {
        IReadOnlyList<ServerCommand> commands = KnownServers.With([ServerCommand.Parse("nats-server=/opt/nats-server -p {port}")], []);

        Assert.All(commands, command => Assert.Equal("/opt/nats-server", command.Hub?.FileName));
        Assert.Equal(["-p", "4223", "-c", "leaf.conf"], commands.Single(command => command.Name == KnownServers.Nats).BehindHub()!.ArgumentsFor(4223, null, leafFile: "leaf.conf"));
    }

    [Fact]
    public void A_publisher_waits_for_subscribers_that_are_far_behind()
    {
        var stream = new EqualFrames("foo", Payloads.Pattern(128));
        using var tally = new Tally(stream.ReceivedBytes(1_000_000));
        var window = new SendWindow(stream, tally);
        window.Wait(1_000);
        using var passed = new ManualResetEventSlim();
        var publisher = new Thread(() =>
        {
            window.Wait(1_000_000);
            passed.Set();
        });
        publisher.Start();

        Assert.False(passed.IsSet);
        tally.Add((int)stream.ReceivedBytes(999_000));
        Assert.True(passed.Wait(Wait.Limit, TestContext.Current.CancellationToken));
        publisher.Join();
    }

    [Fact]
    public void A_publisher_does_not_wait_any_more_when_the_measurement_has_failed()
    {
        using var tally = new Tally(long.MaxValue);
        tally.GiveUp(cut: true);

        new SendWindow(new EqualFrames("foo", Payloads.Pattern(128)), tally).Wait(1_000_000_000);

        Assert.True(tally.IsOver);
    }
}
