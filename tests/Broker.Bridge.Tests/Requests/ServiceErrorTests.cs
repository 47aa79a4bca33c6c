using System.Text;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.Requests;

/// <summary>ZeroMQ has no errors, so no client receives an empty message in the place of one.</summary>
public sealed class ServiceErrorTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(300);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("NATS/1.0\r\nNats-Service-Error: broken\r\nNats-Service-Error-Code: 500\r\n\r\n")]
    [InlineData("NATS/1.0\r\nNats-Service-Error: broken\r\n\r\n")]
    [InlineData("NATS/1.0 408 Timeout\r\n\r\n")]
    public async Task An_error_of_a_service_is_no_answer(string headers)
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        await FailAsync(site, headers);
        await using RequestSocket req = Connect(site);
        await req.SendAsync("x", Token);
        await Wait.UntilAsync(() => site.Requests.Pending == 0 && site.Requests.FromZeroMq == 1, () => $"{site.Requests}");
        Assert.False(req.TryReceiveString(out _, Short));
        Assert.Equal((1L, 0L, 1L), (site.Requests.Failed, site.Requests.Answered, site.Requests.Dropped));
    }

    [Fact]
    public async Task A_text_of_the_users_choice_shows_the_error_of_a_service()
    {
        await using RequestSite site = await RequestSite.StartAsync(
            1, RequestSite.Asking with { ServiceErrorReply = "the service failed"u8.ToArray() });
        await FailAsync(site, "NATS/1.0\r\nNats-Service-Error-Code: 500\r\n\r\n");
        await using RequestSocket req = Connect(site);
        await req.SendAsync("x", Token);
        Assert.Equal("the service failed", await req.ReceiveStringAsync(Token));
        Assert.Equal((1L, 0L), (site.Requests.Failed, site.Requests.Answered));
    }

    [Fact]
    public async Task An_empty_answer_of_a_service_is_an_answer()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        await FailAsync(site, "NATS/1.0\r\nAny: header\r\n\r\n");
        await using RequestSocket req = Connect(site);
        await req.SendAsync("x", Token);
        Assert.Equal("", await req.ReceiveStringAsync(Token));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_client_of_a_lost_worker_gets_no_reply_unless_both_routes_have_a_text_for_it(bool hasText)
    {
        await using RequestSite site = hasText
            ? await RequestSite.StartAsync(
                1,
                RequestSite.Asking with { ServiceErrorReply = "lost"u8.ToArray() },
                RequestSite.Answering with { OnWorkerLoss = WorkerLoss.Reply })
            : await RequestSite.StartAsync(1, RequestSite.Asking, RequestSite.Answering);
        await using RequestSocket req = Connect(site);
        await using (var worker = new ResponseSocket())
        {
            worker.Connect(site.Endpoint("worker"));
            await req.SendAsync("x", Token);
            Assert.Equal("x", await worker.ReceiveStringAsync(Token));
        }

        await Wait.UntilAsync(() => site.Workers.WorkerLost == 1, () => $"{site.Workers}");
        if (hasText)
        {
            Assert.Equal("lost", await req.ReceiveStringAsync(Token));
        }
        else
        {
            Assert.False(req.TryReceiveString(out _, Short));
        }
    }

    private static RequestSocket Connect(RequestSite site)
    {
        var req = new RequestSocket();
        req.Connect(site.Endpoint("request"));
        return req;
    }

    // A service that answers each request with these headers and no body.
    private static async Task FailAsync(RequestSite site, string headers)
    {
        BrokerConnection service = await site.ClientAsync();
        byte[] block = Encoding.ASCII.GetBytes(headers);
        service.Subscribe(RequestSite.Subject, (in MessageView message) => message.Respond(default, block));
        await service.FlushAsync(Token);
    }
}
