using System.Text;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Rows.Real;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

public class RealRowTests
{
    private static readonly Traffic Everything = new() { Size = 256, Varies = true, Subjects = 1_000, Replies = true };

    public static TheoryData<string> Shapes => ["one to one", "queue", "fan-in", "fan-out"];

    public static TheoryData<string, Fault> Faults
    {
        get
        {
            var data = new TheoryData<string, Fault>();
            foreach (string shape in (string[])["one to one", "queue", "fan-in", "fan-out"])
            {
                foreach (Fault fault in (Fault[])[Fault.Loses, Fault.Doubles, Fault.Swaps, Fault.Truncates, Fault.ChangesPayload, Fault.ChangesSubject, Fault.ChangesReply])
                {
                    // A faster member of a queue group, or either of two publishers, may be first.
                    if (fault != Fault.Swaps || shape is "one to one")
                    {
                        data.Add(shape, fault);
                    }
                }
            }

            return data;
        }
    }

    [Fact]
    public void Traffic_reaches_each_subject_once_in_a_cycle_even_with_few_prepared_frames()
    {
        Traffic traffic = new Traffic { Size = 16 } with { Subjects = 100_000 };

        Assert.Equal(100_000, traffic.Cycle);
        Assert.Equal(100_000, Enumerable.Range(0, traffic.Cycle).Select(i => Encoding.ASCII.GetString(traffic.Publish(0, i)).Split(' ')[1]).Distinct(StringComparer.Ordinal).Count());
    }

    [Theory]
    [MemberData(nameof(Shapes))]
    public void A_correct_server_passes(string shape)
    {
        using var server = FaultyServer.With(Fault.None);
        Row row = RowOf(shape);

        row.Verify(server.Target);
        Assert.Equal(2_000 * row.Copies, row.Measure(server.Target, 2_000).Messages);
    }

    [Theory]
    [MemberData(nameof(Faults))]
    public void Verification_detects_one_wrong_message(string shape, Fault fault)
    {
        using var server = FaultyServer.With(fault);

        Assert.Throws<DriverException>(() => RowOf(shape).Verify(server.Target));
    }

    [Theory]
    [MemberData(nameof(Shapes))]
    public void A_measurement_detects_one_message_too_many(string shape)
    {
        using var server = FaultyServer.With(Fault.Doubles);

        Assert.Throws<DriverException>(() => RowOf(shape).Measure(server.Target, 2_000));
    }

    [Fact]
    public void Messages_without_subscribers_are_counted_at_the_server()
    {
        using var server = FaultyServer.With(Fault.None);
        var row = new RealPublish("row", Everything);

        Assert.Equal(2_000, row.Measure(server.Target, 2_000).Messages);
    }

    [Fact]
    public void A_count_above_the_published_one_is_detected()
    {
        using var server = FaultyServer.With(Fault.CountsTooMany);

        Assert.Throws<DriverException>(() => new RealPublish("row", Everything).Measure(server.Target, 2_000));
    }

    [Fact]
    public void A_count_below_the_published_one_is_detected()
    {
        using var server = FaultyServer.With(Fault.CountsTooFew);
        using Session session = server.Target.OpenSession();
        using var arrivals = new Arrivals(server.Target) { WaitLimit = TimeSpan.FromMilliseconds(50) };
        RawConnection connection = session.Dial();
        new VariedFrames(Everything).Send(connection, 100);
        connection.Fence();

        Assert.Throws<DriverException>(() => arrivals.Check(100));
        arrivals.Check(99);
    }

    [Fact]
    public void A_bystander_is_measured_beside_the_traffic()
    {
        using var server = FaultyServer.With(Fault.None);
        var row = new RealPublish("row", Everything, hasBystander: true);

        Assert.NotNull(row.Measure(server.Target, 20_000).Latency);
    }

    [Fact]
    public void Only_running_readers_are_counted_beside_a_suspended_one()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "no process can be stopped by a signal on Windows");
        using var server = FaultyServer.With(Fault.None);

        // The kernel buffers little for the suspended reader, because this server waits for every reader.
        Assert.Equal(2 * 200, BesideSuspended().Measure(server.Target, 200).Messages);
    }

    [Fact]
    public void One_message_too_many_is_detected_beside_a_suspended_reader()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "no process can be stopped by a signal on Windows");
        using var server = FaultyServer.With(Fault.Doubles);

        Assert.Throws<DriverException>(() => BesideSuspended().Measure(server.Target, 200));
    }

    [Fact]
    public void Each_subject_occurs_equally_often()
    {
        var traffic = new Traffic { Size = 0, Subjects = 100_000 };

        Assert.Equal(100_000, Enumerable.Range(0, traffic.Cycle).Select(i => Subject(traffic.Publish(0, i))).Distinct().Count());
    }

    [Fact]
    public void No_two_messages_have_the_same_reply_subject()
    {
        var traffic = new Traffic { Size = 0, Replies = true };

        Assert.Equal(traffic.Cycle, Enumerable.Range(0, traffic.Cycle).Select(i => Encoding.ASCII.GetString(traffic.Publish(0, i)).Split(' ')[2]).Distinct().Count());
    }

    [Fact]
    public void All_sizes_occur()
        => Assert.Equal(257, Enumerable.Range(0, Everything.Cycle).Select(i => Encoding.ASCII.GetString(Everything.Publish(0, i)).Split(' ', '\r')[3]).Distinct().Count());

    [Theory]
    [InlineData(1)]
    [InlineData(70_000)]
    [InlineData(200_001)]
    public void The_bytes_that_a_subscriber_receives_are_known(int count)
    {
        var traffic = new Traffic { Size = 3, Varies = true };
        long expected = Enumerable.Range(0, count).Sum(i => (long)traffic.Message(0, i % traffic.Cycle, 1).Length);

        Assert.Equal(expected, new VariedFrames(traffic).ReceivedBytes(count));
    }

    [Fact]
    public void A_server_gets_the_port_of_its_monitoring_pages()
    {
        ServerCommand command = ServerCommand.Parse("other=server -p {port}").WithMonitoring();

        Assert.True(command.IsMonitored);
        Assert.Equal(["-p", "1", "-m", "2"], command.ArgumentsFor(1, null, 2));
    }

    private static string Subject(byte[] frame) => Encoding.ASCII.GetString(frame).Split(' ')[1];

    private static RealDelivery RowOf(string shape) => new(
        "row",
        shape,
        shape switch
        {
            "queue" => new Topology { Subject = "", PayloadSize = 0, Readers = 2, Queue = "workers" },
            "fan-in" => new Topology { Subject = "", PayloadSize = 0, Publishers = 4 },
            "fan-out" => new Topology { Subject = "", PayloadSize = 0, Readers = 3 },
            _ => new Topology { Subject = "", PayloadSize = 0 },
        },
        Everything);

    private static RealDelivery BesideSuspended()
        => new("row", "two readers", new Topology { Subject = "", PayloadSize = 0, Readers = 2 }, new Traffic { Size = 16 }, hasSuspended: true);
}
