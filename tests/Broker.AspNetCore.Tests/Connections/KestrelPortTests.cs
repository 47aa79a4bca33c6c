using System.Net;
using Broker.AspNetCore.Tests.Harness;
using Broker.Client;
using Broker.Server;
using Broker.Transport;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.AspNetCore.Tests.Connections;

/// <summary>NATS clients that connect to a port of Kestrel.</summary>
public sealed class KestrelPortTests : IAsyncDisposable
{
    private BrokerServer? _server;
    private WebApplication? _application;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static TestCertificates Certificates => TestCertificates.Common;

    public async ValueTask DisposeAsync()
    {
        if (_application is not null)
        {
            await _application.DisposeAsync();
        }

        if (_server is not null)
        {
            await _server.DisposeAsync();
        }
    }

    [Fact]
    public async Task Clients_of_Kestrel_and_of_the_server_are_clients_of_one_server()
    {
        int port = await StartAsync(static o => o.Listen(0));
        using var kestrels = new LineClient(new IPEndPoint(IPAddress.Loopback, port), more: "SUB a 1\r\n");
        using var own = new LineClient(_server!.EndPoints[0], more: "SUB b 1\r\n");

        own.Send("PUB a 5\r\nhello\r\n");
        kestrels.Send("PUB b 4\r\nback\r\n");

        Assert.Equal(("MSG a 1 5", "hello"), (kestrels.ReadLine(), kestrels.ReadLine()));
        Assert.Equal(("MSG b 1 4", "back"), (own.ReadLine(), own.ReadLine()));
        ConnectionPage page = await _server.InspectConnectionsAsync(cancellationToken: Cancellation);
        Assert.Equal([ClientTransport.Socket, ClientTransport.Stream], page.Connections.Select(c => c.Transport).Order());
        Assert.Equal("127.0.0.1", page.Connections.Single(c => c.Transport == ClientTransport.Stream).Address);
    }

    [Fact]
    public async Task Large_messages_pass_both_ways_and_who_leaves_is_forgotten()
    {
        int port = await StartAsync(static o => o.MaxPayload = 8 << 20);
        byte[] body = new byte[8 << 20];
        Random.Shared.NextBytes(body);
        await using (BrokerConnection client = await ConnectAsync(port))
        {
            client.Subscribe("echo", static (in message) => message.Respond(message.Body));

            Client.Message answer = await client.RequestAsync("echo", body, Wait.Limit, cancellationToken: Cancellation);

            Assert.True(answer.Body.Span.SequenceEqual(body));
        }

        await Wait.UntilAsync(() => _server!.Snapshot().Connections == 0, "the end of the client");
    }

    [Fact]
    public async Task Kestrel_speaks_TLS_from_the_first_byte_whatever_the_server_does_at_its_own_addresses()
    {
        int port = await StartAsync(
            static o => o.Tls = new ServerTlsOptions { CertificateFile = Certificates.CertificateFile, KeyFile = Certificates.KeyFile, Timeout = Wait.Limit },
            listen: static l => l.UseHttps(Certificates.Server));

        await using BrokerConnection client = await ConnectAsync(port, static o => o with { Tls = Trusting(first: true) });
        await client.PingAsync(Cancellation);

        Assert.NotNull(client.TlsDescription);
        // A client that waits for INFO in clear text receives nothing.
        await Assert.ThrowsAsync<TimeoutException>(() => ConnectAsync(port, static o => o with { ConnectTimeout = TimeSpan.FromMilliseconds(200) }));
    }

    [Fact]
    public async Task A_certificate_that_Kestrel_has_seen_is_what_the_application_decides_by()
    {
        string? seen = null;
        int port = await StartAsync(
            o => o.Authorize = request =>
            {
                seen = request.PeerCertificate?.Subject;
                return AuthorizationResult.Allow();
            },
            listen: static l => l.UseHttps(https =>
            {
                https.ServerCertificate = Certificates.Server;
                https.ClientCertificateMode = Microsoft.AspNetCore.Server.Kestrel.Https.ClientCertificateMode.RequireCertificate;
                https.ClientCertificateValidation = static (_, _, _) => true;
            }));

        await using BrokerConnection client = await ConnectAsync(port, static o => o with { Tls = Trusting(first: true) with { Certificate = Certificates.Client } });

        Assert.Equal(Certificates.Client.Subject, seen);
    }

    [Fact]
    public async Task Who_is_not_let_in_is_told_why()
    {
        int port = await StartAsync(static o => o.Users = [new User("ada", "secret")]);

        await Assert.ThrowsAsync<AuthorizationException>(() => ConnectAsync(port));

        await using BrokerConnection ada = await ConnectAsync(port, static o => o with { User = "ada", Password = "secret" });
        Assert.Equal(ConnectionState.Connected, ada.State);
    }

    [Fact]
    public async Task An_application_that_stops_delivers_what_is_queued_and_sends_its_clients_away()
    {
        const int Messages = 64;
        int port = await StartAsync(static o => o.Listen(0));
        using var reader = new LineClient(new IPEndPoint(IPAddress.Loopback, port), more: "SUB a 1\r\n");
        using var writer = new LineClient(_server!.EndPoints[0]);
        string body = new('x', 100_000);
        for (int i = 0; i < Messages; i++)
        {
            writer.Send($"PUB a {body.Length}\r\n{body}\r\n");
        }

        writer.Sync();
        // The client has read nothing so far. Without its own time limit the stop would wait for the client.
        Task stopping = _application!.StopAsync(Cancellation);

        for (int i = 0; i < Messages; i++)
        {
            Assert.Equal("MSG a 1 100000", reader.ReadLine());
            Assert.Equal(body, reader.ReadLine());
        }

        Assert.Equal("", reader.ReadLine());
        await Wait.For(stopping);
        await Wait.UntilAsync(() => _server.Snapshot().Connections == 1, "the end of the client");
        writer.Sync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_application_that_stops_waits_for_no_client(bool tls)
    {
        int port = await StartAsync(listen: l =>
        {
            if (tls)
            {
                l.UseHttps(Certificates.Server);
            }
        });
        TaskCompletionSource lost = Wait.Source();
        await using BrokerConnection client = await ConnectAsync(
            port, o => o with { Tls = tls ? Trusting(first: true) : null, OnDisconnected = (_, _) => lost.TrySetResult() });

        await Wait.For(_application!.StopAsync(Cancellation));

        await Wait.For(lost);
        await Wait.UntilAsync(() => _server!.Snapshot().Connections == 0, "the end of the client");
    }

    [Fact]
    public async Task A_server_that_has_ended_lets_nobody_in()
    {
        int port = await StartAsync();
        await _server!.DisposeAsync();

        await Assert.ThrowsAsync<ConnectionLostException>(() => ConnectAsync(port));
    }

    [Fact]
    public void Without_a_server_among_the_services_the_application_is_not_built_and_says_what_to_do()
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(static k => k.Listen(IPAddress.Loopback, 0, static l => l.UseBroker()));
        builder.Services.AddRoutingCore();

        InvalidOperationException error = Assert.Throws<InvalidOperationException>(builder.Build);

        Assert.Contains("AddBroker()", error.Message, StringComparison.Ordinal);
    }

    private static ClientTlsOptions Trusting(bool first) => new() { AuthorityFile = Certificates.AuthorityFile, HandshakeFirst = first };

    private static Task<BrokerConnection> ConnectAsync(int port, Func<ClientOptions, ClientOptions>? configure = null)
    {
        var options = new ClientOptions { Servers = [$"nats://localhost:{port}"], ConnectTimeout = Wait.Limit };
        return BrokerConnection.ConnectAsync(configure?.Invoke(options) ?? options, Cancellation);
    }

    // Returns the port of Kestrel.
    private async Task<int> StartAsync(Action<BrokerServerOptions>? configure = null, Action<ListenOptions>? listen = null)
    {
        _server = await BrokerServer.StartAsync(
            o =>
            {
                o.AuthTimeout = Wait.Limit;
                configure?.Invoke(o);
            },
            Cancellation);
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddSingleton(_server);
        builder.Services.AddRoutingCore();
        // A stop that waits for clients would not end before the test's time limit.
        builder.Services.Configure<HostOptions>(static o => o.ShutdownTimeout = Timeout.InfiniteTimeSpan);
        builder.WebHost.UseKestrelCore().ConfigureKestrel(k => k.Listen(IPAddress.Loopback, 0, l =>
        {
            listen?.Invoke(l);
            l.UseBroker();
        }));
        _application = builder.Build();
        await _application.StartAsync(Cancellation);
        string address = _application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
        return BindingAddress.Parse(address).Port;
    }
}
