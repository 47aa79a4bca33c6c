using System.Text;
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
