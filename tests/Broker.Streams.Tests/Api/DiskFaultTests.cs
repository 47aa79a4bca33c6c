using System.Text;
using System.Threading.Channels;
using Broker.Client;
using Broker.Streams.Tests.Simulation;

namespace Broker.Streams.Tests.Api;

public sealed class DiskFaultTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("write log")]
    [InlineData("sync log")]
    public async Task After_a_failed_write_messages_are_refused_and_core_messaging_goes_on(string operation)
    {
        var disk = new SimulatedDisk();
        await using (ApiSite site = await ApiSite.StartAsync(disk))
        {
            await site.CreateAsync("S");
            Assert.Equal(1, await site.PublishAsync("S", "stored"));
            disk.Fails = what => what == operation;

            Assert.Equal(-10077, await site.PublishAsync("S"));
            disk.Fails = static _ => false;
            Assert.Equal(-10077, await site.PublishAsync("S"));
            await CheckCoreAsync(site);
            Assert.Equal("c3RvcmVk", (await site.CallAsync("STREAM.MSG.GET.S", """{"seq":1}""")).GetProperty("message").GetProperty("data").GetString());
        }

        disk.EndProcess();
        await using ApiSite again = await ApiSite.StartAsync(disk);
        Assert.InRange((await again.StateAsync("S")).GetProperty("messages").GetInt64(), 1, 2);
        Assert.InRange(await again.PublishAsync("S"), 2, 4);
    }

    [Fact]
    public async Task A_stream_with_a_message_that_the_disk_cannot_read_is_refused_with_its_place_and_a_consumer_learns_it()
    {
        var disk = new SimulatedDisk();
        var found = new List<string>();
        var options = new StoreOptions { SegmentBytes = 1024 * 1024, MaxPendingBytes = 256 * 1024, OnDamage = (stream, damage) => found.Add($"{stream} {damage.File} {damage.Sequence}") };
        await using ApiSite site = await ApiSite.StartAsync(disk, options);
        await site.CreateAsync("S");
        await site.CreateAsync("T");
        await site.PublishAsync("S");
        await site.PublishAsync("T");
        await site.CallAsync("CONSUMER.CREATE.S.C", """{"stream_name":"S","config":{"durable_name":"C","ack_policy":"explicit"}}""");
        var answers = Channel.CreateUnbounded<string>();
        site.Connection.Subscribe("answers", (in message) => answers.Writer.TryWrite(Encoding.UTF8.GetString(message.Headers)));
        disk.Fails = static what => what == "read log";
        site.Connection.Publish("$JS.API.CONSUMER.MSG.NEXT.S.C", "1"u8, "answers");

        Assert.StartsWith("NATS/1.0 409 Stream Is Damaged", await answers.Reader.ReadAsync(Ended), StringComparison.Ordinal);
        disk.Fails = static _ => false;
        Assert.Equal(10077, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.GET.S", """{"seq":1}""")));
        Assert.Equal(2, await site.PublishAsync("T"));
        Assert.Equal("S 0000000000000001.log 1", Assert.Single(found));
    }

    [Fact]
    public async Task Core_messaging_goes_on_while_a_sync_takes_long_and_nothing_is_acknowledged()
    {
        var disk = new SimulatedDisk();
        await using ApiSite site = await ApiSite.StartAsync(disk);
        await site.CreateAsync("S");
        using var goOn = new ManualResetEventSlim();
        using var reached = new SemaphoreSlim(0);
        disk.Before = what =>
        {
            if (what == "sync log" && !goOn.IsSet)
            {
                reached.Release();
                goOn.Wait(Wait.Limit, Ended);
            }
        };
        Task<long> publish = site.PublishAsync("S");
        await reached.WaitAsync(Ended);

        for (int i = 0; i < 1000; i++)
        {
            await CheckCoreAsync(site);
        }

        Assert.False(publish.IsCompleted);
        goOn.Set();
        Assert.Equal(1, await publish);
    }

    private static async Task CheckCoreAsync(ApiSite site)
    {
        await using HandlerBinding echo = site.Connection.Subscribe("echo", static (Message message) => message.Respond(message.Body.Span));
        Assert.Equal("hello", Encoding.UTF8.GetString((await site.RequestAsync("echo", "hello")).Body.Span));
    }
}
