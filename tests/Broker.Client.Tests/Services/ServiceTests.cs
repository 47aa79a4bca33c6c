using System.Text.Json;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Services;

/// <summary>Services of this client, found and asked by this client.</summary>
public sealed class ServiceTests
{
    private static readonly RequestManyOptions One = new() { MaxReplies = 1, Deadline = Wait.Limit };

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_service_answers_requests_and_tells_what_it_is(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        await using Service service = connection.StartService(
            new ServiceOptions("calc", "1.2.3-beta.1+x") { Description = "sums", Metadata = new Dictionary<string, string> { ["owner"] = "tests" } });
        service.AddEndpoint("echo", static request => request.Respond(request.Text));
        ServiceGroup group = service.AddGroup("v1").AddGroup("deep", queueGroup: "own");
        group.AddEndpoint(
            "twice",
            static request =>
            {
                request.Respond(request.Text + request.Text);
                return ValueTask.CompletedTask;
            },
            new EndpointOptions { Subject = "2.*", QueueGroup = "", Metadata = new Dictionary<string, string> { ["k"] = "v" } });
        group.AddEndpoint("three", static request => request.Respond(request.Body.Span));

        Assert.Equal("hi", (await connection.RequestAsync("echo", "hi", cancellationToken: Ended)).EnsureServiceSuccess().Text);
        Assert.Equal("hihi", (await connection.RequestAsync("v1.deep.2.x", "hi", cancellationToken: Ended)).Text);
        Assert.Equal("3", (await connection.RequestAsync("v1.deep.three", "3", cancellationToken: Ended)).Text);
        ServicePing ping = await connection.PingServicesAsync(options: One, cancellationToken: Ended).SingleAsync(Ended);
        ServiceInfo info = await connection.GetServiceInfosAsync("calc", options: One, cancellationToken: Ended).SingleAsync(Ended);
        ServiceStats stats = await connection.GetServiceStatsAsync("calc", service.Id, One, Ended).SingleAsync(Ended);

        Assert.Equal(("calc", service.Id, "1.2.3-beta.1+x", "tests"), (ping.Name, ping.Id, ping.Version, ping.Metadata!["owner"]));
        Assert.Equal(("calc", service.Id, "1.2.3-beta.1+x", "tests", "sums"), (info.Name, info.Id, info.Version, info.Metadata!["owner"], info.Description));
        Assert.Equal(
            [("echo", "echo", "q"), ("twice", "v1.deep.2.*", ""), ("three", "v1.deep.three", "own")],
            info.Endpoints.Select(static e => (e.Name, e.Subject, e.QueueGroup)));
        Assert.Equal("v", info.Endpoints[1].Metadata!["k"]);
        Assert.Equal([1, 1, 1], stats.Endpoints.Select(static e => e.Requests));
        Assert.All(stats.Endpoints, static e => Assert.Equal(e.ProcessingTime, e.AverageProcessingTime));
        Assert.InRange(stats.Started, DateTimeOffset.UtcNow.AddHours(-1), DateTimeOffset.UtcNow.AddHours(1));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Errors_of_handlers_reach_the_caller_and_the_statistics(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        int faults = 0;
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(
            server.Options with { OnFault = (_, _) => Interlocked.Increment(ref faults) }, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddEndpoint("respond", static request => request.RespondError(404, "not\r\nhere", "body"u8));
        service.AddEndpoint("throw", static _ => throw new ServiceException(409, "conflict"));
        service.AddEndpoint("fail", static _ => throw new InvalidOperationException("a secret"));
        service.AddEndpoint<int, int>("square", TextEncoder.Instance, static value => ValueTask.FromResult(value * value));

        Message respond = await connection.RequestAsync("respond", "", cancellationToken: Ended);
        ServiceException thrown = Assert.Throws<ServiceException>(
            () => respond.EnsureServiceSuccess());
        Message conflict = await connection.RequestAsync("throw", "", cancellationToken: Ended);
        Message failed = await connection.RequestAsync("fail", "", cancellationToken: Ended);
        Message square = await connection.RequestAsync("square", "12", cancellationToken: Ended);
        Message noNumber = await connection.RequestAsync("square", "x", cancellationToken: Ended);
        ServiceStats stats = await connection.GetServiceStatsAsync("calc", options: One, cancellationToken: Ended).SingleAsync(Ended);

        Assert.Equal((404, "not here", "body"), (thrown.Code, thrown.Description, System.Text.Encoding.UTF8.GetString(thrown.Body.Span)));
        Assert.Equal(new ServiceError(409, "conflict"), conflict.GetServiceError());
        Assert.Equal(new ServiceError(500, "the handler failed"), failed.GetServiceError());
        Assert.Equal(("144", null), (square.EnsureServiceSuccess().Text, square.GetServiceError()));
        Assert.Equal(400, noNumber.GetServiceError()!.Value.Code);
        await Wait.UntilAsync(() => Volatile.Read(ref faults) == 1);
        Assert.Equal([(1, 1), (1, 1), (1, 1), (2, 1)], stats.Endpoints.Select(static e => ((int)e.Requests, (int)e.Errors)));
        Assert.Equal("404:not here", stats.Endpoints[0].LastError);
        Assert.DoesNotContain("secret", string.Concat(stats.Endpoints.Select(static e => e.LastError)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_that_fails_after_its_answer_counts_one_error_and_answers_once()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        int faults = 0;
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(
            server.Options with { OnFault = (_, _) => Interlocked.Increment(ref faults) }, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddEndpoint(
            "late",
            static request =>
            {
                request.Respond("the answer");
                throw new InvalidOperationException("too late");
            });
        service.AddEndpoint(
            "twice",
            static request =>
            {
                request.RespondError(409, "the first");
                throw new ServiceException(410, "the second");
            });
        var pause = new RequestManyOptions { IdleTimeout = TimeSpan.FromMilliseconds(100), Deadline = Wait.Limit };

        Assert.Equal(["the answer"], (await connection.GatherAsync("late", "", pause, default, Ended)).Select(static reply => reply.Text));
        Message twice = Assert.Single(await connection.GatherAsync("twice", "", pause, default, Ended));
        await Wait.UntilAsync(() => service.GetStats().Endpoints[1].LastError == "410:the second");

        Assert.Equal(new ServiceError(409, "the first"), twice.GetServiceError());
        Assert.Equal([(1, 1), (1, 1)], service.GetStats().Endpoints.Select(static e => ((int)e.Requests, (int)e.Errors)));
        Assert.Equal(1, Volatile.Read(ref faults));
    }

    [Fact]
    public async Task A_message_without_a_reply_subject_is_handled_and_its_error_is_counted()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddEndpoint("throw", static _ => throw new ServiceException(404, "not here"));

        connection.Publish("throw", "");
        connection.Publish("$SRV.PING", "");
        await Wait.UntilAsync(() => service.GetStats().Endpoints[0].Errors == 1);

        Assert.Equal("404:not here", service.GetStats().Endpoints[0].LastError);
        Assert.Equal(service.Id, (await connection.PingServicesAsync(options: One, cancellationToken: Ended).SingleAsync(Ended)).Id);
    }

    [Fact]
    public async Task An_answer_that_is_refused_becomes_an_error()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddEndpoint("large", request => request.Respond(new byte[connection.MaxPayload + 1]));

        Message reply = await connection.RequestAsync("large", "", cancellationToken: Ended);

        Assert.Equal(500, reply.GetServiceError()!.Value.Code);
    }

    [Fact]
    public async Task An_error_of_another_service_without_a_code_is_passed_on_as_500()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        using HandlerBinding other = connection.Subscribe(
            "other", static message => message.Respond("", new MessageHeaders { ["Nats-Service-Error"] = "no code" }));
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddEndpoint(
            "ask",
            async request => request.Respond((await connection.RequestAsync("other", "", cancellationToken: Ended)).EnsureServiceSuccess().Text));

        Message reply = await connection.RequestAsync("ask", "", cancellationToken: Ended);

        Assert.Equal(new ServiceError(500, "no code"), reply.GetServiceError());
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Instances_share_requests_unless_they_have_no_queue_group(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        await using Service one = connection.StartService("calc", "1.0.0");
        await using Service other = connection.StartService("calc", "1.0.0");
        foreach (Service service in (Service[])[one, other])
        {
            service.AddEndpoint("shared", request => request.Respond(service.Id));
            service.AddEndpoint("each", request => request.Respond(service.Id), new EndpointOptions { QueueGroup = "" });
        }

        var two = new RequestManyOptions { MaxReplies = 2, Deadline = Wait.Limit };
        Assert.Equal(
            new[] { one.Id, other.Id }.Order(), (await connection.GatherAsync("each", "", two, default, Ended)).Select(static reply => reply.Text).Order());
        Assert.Equal(
            new[] { one.Id, other.Id }.Order(),
            await connection.PingServicesAsync("calc", options: two, cancellationToken: Ended).Select(static ping => ping.Id).Order().ToListAsync(Ended));
        for (int i = 0; i < 20; i++)
        {
            await connection.RequestAsync("shared", "", cancellationToken: Ended);
        }

        Assert.Equal(20, one.GetStats().Endpoints[0].Requests + other.GetStats().Endpoints[0].Requests);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_stopped_service_answers_what_it_has_received_and_is_found_no_more(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        Service service = connection.StartService("calc", "1.0.0");
        TaskCompletionSource entered = Wait.Source();
        TaskCompletionSource release = Wait.Source();
        service.AddEndpoint(
            "slow",
            async request =>
            {
                entered.TrySetResult();
                await release.Task;
                request.Respond("done");
            });
        ServiceEndpoint removed = service.AddEndpoint("removed", static request => request.Respond(""));
        Task<Message>[] requests = [.. Enumerable.Range(0, 3).Select(_ => connection.RequestAsync("slow", "", Wait.Limit, cancellationToken: Ended).AsTask())];
        await Wait.For(entered.Task);
        await connection.PingAsync(Ended);

        await removed.StopAsync(Ended);
        Assert.Equal(["slow"], service.GetInfo().Endpoints.Select(static endpoint => endpoint.Name));
        Task stopping = service.StopAsync(Ended);
        release.SetResult();
        await Wait.For(stopping);

        Assert.All(await Wait.For(Task.WhenAll(requests)), static reply => Assert.Equal("done", reply.Text));
        Assert.Empty(await connection.PingServicesAsync("calc", cancellationToken: Ended).ToListAsync(Ended));
        await Assert.ThrowsAsync<NoRespondersException>(() => connection.RequestAsync("slow", "", cancellationToken: Ended).AsTask());
        await Assert.ThrowsAsync<NoRespondersException>(() => connection.RequestAsync("removed", "", cancellationToken: Ended).AsTask());
        Assert.Throws<ObjectDisposedException>(() => service.AddEndpoint("late", static _ => { }));
        await service.StopAsync(Ended);
        await service.DisposeAsync();
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_service_is_found_again_after_its_server_was_lost(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        int reconnects = 0;
        ClientOptions options = server.Options with
        {
            ReconnectWait = TimeSpan.FromMilliseconds(20),
            MaxReconnectWait = TimeSpan.FromMilliseconds(100),
            OnReconnected = _ => Interlocked.Increment(ref reconnects),
        };
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(options, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddEndpoint("echo", static request => request.Respond(request.Text));

        await server.RestartAsync();
        await Wait.UntilAsync(() => Volatile.Read(ref reconnects) > 0);

        Assert.Equal("hi", (await connection.RequestAsync("echo", "hi", Wait.Limit, cancellationToken: Ended)).Text);
        Assert.Equal(service.Id, (await connection.PingServicesAsync("calc", options: One, cancellationToken: Ended).SingleAsync(Ended)).Id);
    }

    [Fact]
    public async Task The_data_of_a_program_is_in_the_statistics()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");
        service.AddEndpoint("echo", static request => request.Respond(""), new EndpointOptions { Data = static () => JsonElement.Parse("""{"depth":3}""") });

        ServiceStats stats = await connection.GetServiceStatsAsync("calc", options: One, cancellationToken: Ended).SingleAsync(Ended);

        Assert.Equal(3, stats.Endpoints[0].Data!.Value.GetProperty("depth").GetInt32());
    }

    [Fact]
    public async Task Names_that_are_not_valid_are_refused()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server.Options, Ended);
        await using Service service = connection.StartService("calc", "1.0.0");

        Assert.Throws<ArgumentException>(() => connection.StartService("a.b", "1.0.0"));
        Assert.All(
            (string[])["1.0", "1.0.0.0", "v1.0.0", "1.0.0-", "1.0.0-a..b", "01.0.0", "1.0.0\n", "\u0661.0.0"],
            version => Assert.Throws<ArgumentException>(() => connection.StartService("a", version)));
        Assert.Throws<ArgumentException>(() => connection.StartService(new ServiceOptions("a", "1.0.0") { QueueGroup = "a b" }));
        Assert.Throws<ArgumentException>(() => service.AddEndpoint("a b", static _ => { }));
        Assert.Throws<ArgumentException>(() => service.AddEndpoint("a", static _ => { }, new EndpointOptions { Subject = "a..b" }));
        Assert.Throws<ArgumentException>(() => service.AddEndpoint("a", static _ => { }, new EndpointOptions { QueueGroup = "a b" }));
        Assert.Throws<ArgumentException>(() => service.AddGroup("a..b"));
        Assert.Throws<ArgumentException>(() => service.AddGroup("a", "b c"));
        Assert.Throws<ArgumentException>(() => connection.PingServicesAsync("a.b", cancellationToken: Ended));
        Assert.Throws<ArgumentException>(() => connection.PingServicesAsync(null, "id", cancellationToken: Ended));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ServiceException(0, "none"));
    }
}
