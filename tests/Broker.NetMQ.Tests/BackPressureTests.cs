using System.Globalization;
using Broker.Bridge;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>
/// The messages that wait between a program that pushes and one that does not pull are bounded. With
/// <c>BROKER_NETMQ_SECONDS=60</c> the test holds the pressure for a minute and prints the resident memory.
/// </summary>
public sealed class BackPressureTests(ITestOutputHelper output)
{
    private const int Size = 4096;
    private const int Mark = 100;

    // The programs' sockets and the attached ones, the attachments and the ends of the pipeline.
    private const int MostMessages = 12_000;

    private static int Seconds { get; } = int.TryParse(
        Environment.GetEnvironmentVariable("BROKER_NETMQ_SECONDS"), NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) ? seconds : 1;

    [Fact]
    public async Task A_pipeline_that_nobody_pulls_from_holds_a_bounded_number_of_messages()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://pressure-in"));
        PushSocket push = site.Poll(new PushSocket("@inproc://pressure-out"));
        var few = new NetMQAttachmentOptions { HighWaterMark = Mark };
        PushPullRouteOptions route = new() { Subject = "work", Window = Mark, HighWaterMark = Mark };
        await using NetMQAttachment outgoing = await site.AttachAsync(push, route, few);
        await using NetMQAttachment incoming = await site.AttachAsync(pull, route, few);
        using var pusher = new PushSocket(">inproc://pressure-in");
        using var puller = new PullSocket(">inproc://pressure-out");
        byte[] body = new byte[Size];
        int sent = 0;
        List<long> resident = [];
        for (int second = 0; second < Seconds; second++)
        {
            long ends = Environment.TickCount64 + 1000;
            while (Environment.TickCount64 < ends)
            {
                if (pusher.TrySendFrame(TimeSpan.FromMilliseconds(20), body))
                {
                    sent++;
                    Assert.InRange(sent, 0, MostMessages);
                }
            }

            // Garbage that is not collected yet does not count as held memory.
            GC.Collect();
            resident.Add(Environment.WorkingSet);
        }

        // Both sides of the inproc connections of both attachments have the mark, and the pipeline has its window. Each
        // pump may hold one message more. While a pump moves several messages, only one side has counted them.
        await Wait.UntilAsync(() => incoming.IsPaused && incoming.GetSnapshot().FromNetMQ - outgoing.GetSnapshot().ToNetMQ <= (5 * Mark) + 2, "the messages in between are few");
        NetMQAttachmentSnapshot one = incoming.GetSnapshot();
        NetMQAttachmentSnapshot other = outgoing.GetSnapshot();
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{sent} messages of {Size} B wait, {one.FromNetMQ - other.ToNetMQ} of them in attachments and route; resident MB: {string.Join(' ', resident.Select(static bytes => bytes >> 20))}"));

        Assert.InRange(one.FromNetMQ - other.ToNetMQ, 0, (5 * Mark) + 2);
        for (int i = 0; i < sent; i++)
        {
            Assert.True(puller.TryReceiveFrameBytes(Wait.Limit, out byte[]? received));
            Assert.Equal(Size, received.Length);
        }
    }
}
