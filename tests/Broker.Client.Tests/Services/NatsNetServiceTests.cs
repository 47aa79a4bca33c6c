using System.Text.Json.Nodes;
using Broker.Client.Tests.Support;
using NATS.Client.Core;
using NATS.Client.Services;
using NATS.Net;

namespace Broker.Client.Tests.Services;

/// <summary>Services of this client and of NATS.Net 3.3.2, used by each other.</summary>
public sealed class NatsNetServiceTests
{
    private static readonly RequestManyOptions One = new() { MaxReplies = 1, Deadline = Wait.Limit };

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task NATS_Net_uses_a_service_of_this_client(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddGroup("v1").AddEndpoint<int, int>("square", TextEncoder.Instance, static value => ValueTask.FromResult(value * value));
        service.AddEndpoint("fail", static request => request.RespondError(404, "not here", "body"u8));
        await connection.PingAsync(Ended);
        await using var theirs = new NatsConnection(new NatsOpts { Url = server.Url });

        NatsMsg<int> square = await theirs.RequestAsync<int, int>("v1.square", 12, cancellationToken: Ended);
        NatsMsg<string> failed = await theirs.RequestAsync<string, string>("fail", "x", cancellationToken: Ended);
        await Wait.UntilAsync(() => service.GetStats().Endpoints[0].ProcessingTime > TimeSpan.Zero);
        JsonNode info = await AskAsync(theirs, "$SRV.INFO.calc");
        JsonNode stats = await AskAsync(theirs, $"$SRV.STATS.calc.{service.Id}");
        JsonNode ping = await AskAsync(theirs, "$SRV.PING");

        Assert.Equal(144, square.Data);
        square.EnsureServiceSuccess();
        NatsSvcEndpointException error = Assert.Throws<NatsSvcEndpointException>(() => failed.EnsureServiceSuccess());
        Assert.Equal((404, "not here"), (error.Code, error.Message));
        Assert.Equal("body", failed.Data);
        Assert.Equal("io.nats.micro.v1.info_response", (string?)info["type"]);
        Assert.Equal("v1.square", (string?)info["endpoints"]![0]!["subject"]);
        Assert.Equal("q", (string?)info["endpoints"]![0]!["queue_group"]);
        Assert.Equal("io.nats.micro.v1.stats_response", (string?)stats["type"]);
        JsonNode second = stats["endpoints"]![1]!;
        Assert.Equal("1 1 404:not here", $"{second["num_requests"]} {second["num_errors"]} {second["last_error"]}");
        Assert.True((long?)stats["endpoints"]![0]!["processing_time"] > 0);
        Assert.Equal("io.nats.micro.v1.ping_response", (string?)ping["type"]);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_service_of_NATS_Net_is_found_and_used(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using var theirs = new NatsConnection(new NatsOpts { Url = server.Url });
        await using INatsSvcServer service = await theirs.CreateServicesContext().AddServiceAsync(
            new NatsSvcConfig("calc", "1.2.3") { Description = "sums", Metadata = new Dictionary<string, string> { ["owner"] = "them" } }, Ended);
        NatsSvcServer.Group group = await service.AddGroupAsync("v1", cancellationToken: Ended);
        await group.AddEndpointAsync<int>(
            static async message =>
            {
                if (message.Data < 0)
                {
                    throw new NatsSvcEndpointException(400, "negative", "");
                }

                await message.ReplyAsync(message.Data * message.Data, cancellationToken: Ended);
            },
            "square", cancellationToken: Ended);
        await theirs.PingAsync(Ended);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);

        Message square = await connection.RequestAsync("v1.square", "12", cancellationToken: Ended);
        Message failed = await connection.RequestAsync("v1.square", "-1", cancellationToken: Ended);
        ServicePing ping = await connection.PingServicesAsync("calc", options: One, cancellationToken: Ended).SingleAsync(Ended);
        ServiceInfo info = await connection.GetServiceInfosAsync("calc", ping.Id, One, Ended).SingleAsync(Ended);

        Assert.Equal("144", square.EnsureServiceSuccess().Text);
        Assert.Equal(new ServiceError(400, "negative"), failed.GetServiceError());
        Assert.Equal(("calc", "1.2.3", "them", "sums"), (ping.Name, ping.Version, info.Metadata!["owner"], info.Description));
        Assert.Equal(("square", "v1.square", "q"), info.Endpoints.Select(static e => (e.Name, e.Subject, e.QueueGroup)).Single());
        // Their statistics may count a request a moment after its reply.
        await Wait.UntilAsync(async () => await connection.GetServiceStatsAsync("calc", options: One, cancellationToken: Ended)
            .SingleAsync(Ended) is { Endpoints: [{ Requests: 2, Errors: 1, ProcessingTime.Ticks: > 0 }] });
    }

    private static async Task<JsonNode> AskAsync(NatsConnection connection, string subject)
        => JsonNode.Parse((await connection.RequestAsync<string, string>(subject, "", cancellationToken: Ended)).Data!)!;
}
