using System.Text.Json.Nodes;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Services;

/// <summary>The JSON of PING, INFO and STATS, as the nats command and other clients read and write it.</summary>
public sealed class ServiceAnswerTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_answers_have_the_fields_of_the_service_API_and_no_others()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddEndpoint("echo", static request => request.Respond(""));
        await connection.RequestAsync("echo", "", cancellationToken: Ended);

        JsonNode ping = await AskAsync(connection, "$SRV.PING");
        JsonNode info = await AskAsync(connection, "$SRV.INFO.calc");
        JsonNode stats = await AskAsync(connection, $"$SRV.STATS.calc.{service.Id}");

        Assert.Equal("type name id version metadata", Names(ping));
        Assert.Equal("type name id version metadata description endpoints", Names(info));
        Assert.Equal("name subject queue_group metadata", Names(info["endpoints"]![0]!));
        Assert.Equal("type name id version metadata started endpoints", Names(stats));
        Assert.Equal(
            "name subject queue_group num_requests num_errors last_error processing_time average_processing_time", Names(stats["endpoints"]![0]!));
        Assert.Equal("{}", ping["metadata"]!.ToJsonString());
        Assert.Equal("""{"name":"echo","subject":"echo","queue_group":"q","metadata":{}}""", info["endpoints"]![0]!.ToJsonString());
        Assert.True(DateTimeOffset.TryParseExact(
            (string?)stats["started"], "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK", System.Globalization.CultureInfo.InvariantCulture, default, out _));
    }

    [Fact]
    public async Task Answers_that_are_none_are_left_out_and_absent_fields_are_empty()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        string[] answers =
        [
            "no answer", "", "[]", "{}", """{"type":1}""", """{"type":"io.nats.micro.v1.ping_response"}""",
            """{"type":"io.nats.micro.v1.stats_response","endpoints":"x"}""",
            """{"type":"io.nats.micro.v1.stats_response","name":"empty","endpoints":null,"metadata":null,"later":1}""",
            """{"type":"io.nats.micro.v1.stats_response","name":"full","endpoints":[{"name":null,"processing_time":1500.5,"num_requests":3}]}""",
        ];
        foreach (string answer in answers)
        {
            connection.Subscribe("$SRV.STATS", message => message.Respond(answer));
        }

        var all = new RequestManyOptions { MaxReplies = answers.Length, Deadline = Wait.Limit };
        List<ServiceStats> stats = await connection.GetServiceStatsAsync(options: all, cancellationToken: Ended).OrderBy(static s => s.Name).ToListAsync(Ended);

        Assert.Equal(["empty", "full"], stats.Select(static s => s.Name));
        Assert.Empty(stats[0].Endpoints);
        Assert.Equal(("", ""), (stats[0].Id, stats[0].Version));
        EndpointStats endpoint = Assert.Single(stats[1].Endpoints);
        Assert.Equal(("", "", 3L, TimeSpan.FromTicks(15)), (endpoint.Name, endpoint.Subject, endpoint.Requests, endpoint.ProcessingTime));
    }

    private static string Names(JsonNode node) => string.Join(' ', node.AsObject().Select(static property => property.Key));

    private static async Task<JsonNode> AskAsync(BrokerConnection connection, string subject)
        => JsonNode.Parse((await connection.RequestAsync(subject, "", cancellationToken: Ended)).Body.Span)!;
}
