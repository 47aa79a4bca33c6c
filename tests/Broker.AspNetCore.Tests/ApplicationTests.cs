using System.Net;
using System.Net.WebSockets;
using System.Security.Claims;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Encodings.Web;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.AspNetCore.Tests;

/// <summary>Pages and WebSocket in a user's own application, whose authorization applies to them too.</summary>
public sealed class ApplicationTests
{
    private const string Header = "X-User";

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Whom_the_application_does_not_know_gets_neither_page_nor_WebSocket()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static _ => { }, Cancellation);
        await using WebApplication application = await StartAsync(
            server, static (pages, socket) =>
            {
                pages.RequireAuthorization();
                socket.RequireAuthorization();
            });
        using HttpClient http = Client(application);

        foreach (string path in (string[])["broker/varz", "broker/connz", "broker/metrics", "nats"])
        {
            using HttpResponseMessage refused = await http.GetAsync(new Uri(path, UriKind.Relative), Cancellation);
            Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        }

        await Assert.ThrowsAsync<WebSocketException>(() => InfoAsync(application, user: null));
        http.DefaultRequestHeaders.Add(Header, "ada");
        Assert.Contains("server_id", await http.GetStringAsync(new Uri("broker/varz", UriKind.Relative), Cancellation), StringComparison.Ordinal);
        Assert.StartsWith("INFO {", await InfoAsync(application, "ada"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_application_keeps_its_own_root_and_health_page()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static _ => { }, Cancellation);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        await using WebApplication application = builder.Build();
        application.MapGet("/", static () => "mine");
        application.MapGet("/healthz", static () => "mine");
        application.MapBrokerMonitoring(server);
        await application.StartAsync(Cancellation);
        using HttpClient http = Client(application);

        Assert.Equal("mine", await http.GetStringAsync(new Uri("/", UriKind.Relative), Cancellation));
        Assert.Equal("mine", await http.GetStringAsync(new Uri("/healthz", UriKind.Relative), Cancellation));
        Assert.Equal("""{"status":"ok"}""", await http.GetStringAsync(new Uri("/broker/healthz", UriKind.Relative), Cancellation));
        Assert.Contains("\"http_base_path\": \"/broker\"", await http.GetStringAsync(new Uri("/broker/varz", UriKind.Relative), Cancellation), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_limits_of_the_application_hold_for_pages_and_WebSocket()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static _ => { }, Cancellation);
        await using WebApplication application = await StartAsync(
            server, static (pages, socket) =>
            {
                pages.RequireRateLimiting("few");
                socket.RequireRateLimiting("one");
            });
        using HttpClient http = Client(application);

        var answers = new HttpStatusCode[3];
        for (int i = 0; i < answers.Length; i++)
        {
            using HttpResponseMessage answer = await http.GetAsync(new Uri("broker/varz", UriKind.Relative), Cancellation);
            answers[i] = answer.StatusCode;
        }

        Assert.Equal([HttpStatusCode.OK, HttpStatusCode.OK, HttpStatusCode.TooManyRequests], answers);
        Assert.StartsWith("INFO {", await InfoAsync(application, "ada"), StringComparison.Ordinal);
        await Assert.ThrowsAsync<WebSocketException>(() => InfoAsync(application, "ada"));
    }

    [Fact]
    public async Task An_application_that_stops_delivers_what_is_queued_and_sends_its_WebSockets_away()
    {
        const int Messages = 64;
        await using BrokerServer server = await BrokerServer.StartAsync(static o => o.Listen(0), Cancellation);
        await using WebApplication application = await StartAsync(server, static (_, _) => { });
        using ClientSocket reader = await ClientSocket.OpenAsync(NatsAt(application), static o => o.SetRequestHeader(Header, "ada"));
        await reader.SendAsync("SUB a 1\r\nPING\r\n");
        await reader.ReadUntilAsync("PONG");
        using var writer = new LineClient(server.EndPoints[0]);
        string body = new('x', 100_000);
        for (int i = 0; i < Messages; i++)
        {
            writer.Send($"PUB a {body.Length}\r\n{body}\r\n");
        }

        writer.Send("PUB a 4\r\nlast\r\n");
        writer.Sync();
        // The client has read nothing so far. Without its own time limit the stop would wait for the client.
        Task stopping = application.StopAsync(Cancellation);

        await reader.ReadUntilAsync("MSG a 1 4\r\nlast\r\n");
        Assert.Equal(WebSocketCloseStatus.EndpointUnavailable, await reader.ReadToEndAsync());
        Assert.Equal("Server Shutdown", reader.Socket.CloseStatusDescription);
        await reader.Socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, Cancellation);
        await Wait.For(stopping);
        await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "the end of the client");
        writer.Sync();
    }

    /// <summary>A browser that loaded the application's page over HTTP/2 connects this way.</summary>
    [Fact]
    public async Task WebSockets_share_a_connection_of_HTTP_2_and_are_sent_away_when_it_stops()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static _ => { }, Cancellation);
        await using WebApplication application = await StartAsync(server, static (_, _) => { }, TestCertificates.Common.Server);
        using var invoker = new HttpMessageInvoker(new SocketsHttpHandler
        {
            SslOptions = { RemoteCertificateValidationCallback = static (_, shown, _, _) => TestCertificates.IsSame(TestCertificates.Common.Server, shown) },
        });
        using ClientSocket one = await ClientSocket.OpenAsync(NatsAt(application), OverHttp2, invoker: invoker);
        using ClientSocket other = await ClientSocket.OpenAsync(NatsAt(application), OverHttp2, invoker: invoker);
        await one.SendAsync("SUB a 1\r\nPING\r\n");
        await one.ReadUntilAsync("PONG");

        await other.SendAsync("PUB a 5\r\nhello\r\n");

        await one.ReadUntilAsync("MSG a 1 5\r\nhello\r\n");
        Assert.Equal("nats", one.Socket.SubProtocol);
        ConnectionPage page = await server.InspectConnectionsAsync(cancellationToken: Cancellation);
        Assert.Equal([ClientTransport.WebSocket, ClientTransport.WebSocket], page.Connections.Select(c => c.Transport));
        Assert.Equal(page.Connections[0].Port, page.Connections[1].Port);

        Task stopping = application.StopAsync(Cancellation);
        Assert.Equal(WebSocketCloseStatus.EndpointUnavailable, await one.ReadToEndAsync());
        Assert.Equal(WebSocketCloseStatus.EndpointUnavailable, await other.ReadToEndAsync());
        await one.Socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, Cancellation);
        await other.Socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, Cancellation);
        await Wait.For(stopping);
    }

    [Fact]
    public async Task Who_comes_by_WebSocket_to_a_server_that_has_ended_is_told_that_it_is_unavailable()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static _ => { }, Cancellation);
        await using WebApplication application = await StartAsync(server, static (_, _) => { });
        await server.DisposeAsync();
        using var socket = new ClientWebSocket();
        socket.Options.SetRequestHeader(Header, "ada");
        await socket.ConnectAsync(NatsAt(application), Cancellation);

        WebSocketReceiveResult read = await socket.ReceiveAsync(new byte[64], Cancellation).WaitAsync(Wait.Limit, Cancellation);

        Assert.Equal((WebSocketMessageType.Close, WebSocketCloseStatus.EndpointUnavailable), (read.MessageType, read.CloseStatus));
    }

    private static void OverHttp2(ClientWebSocketOptions options)
    {
        options.SetRequestHeader(Header, "ada");
        // A keep-alive ping would end a half-open stream.
        options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        options.HttpVersion = HttpVersion.Version20;
        options.HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact;
    }

    private static async Task<WebApplication> StartAsync(
        BrokerServer server, Action<IEndpointConventionBuilder, IEndpointConventionBuilder> ask, X509Certificate2? certificate = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        if (certificate is null)
        {
            builder.WebHost.UseUrls("http://127.0.0.1:0");
        }
        else
        {
            builder.WebHost.ConfigureKestrel(k => k.Listen(IPAddress.Loopback, 0, l => l.UseHttps(certificate)));
        }

        builder.Services.AddAuthentication("header").AddScheme<AuthenticationSchemeOptions, ByHeader>("header", null);
        builder.Services.AddAuthorization();
        // A stop that waits for clients would not end before the test's time limit.
        builder.Services.Configure<HostOptions>(static o => o.ShutdownTimeout = Timeout.InfiniteTimeSpan);
        builder.Services.AddRateLimiter(static limits =>
        {
            limits.RejectionStatusCode = StatusCodes.Status429TooManyRequests;
            limits.AddFixedWindowLimiter("few", static window => (window.PermitLimit, window.Window) = (2, TimeSpan.FromHours(1)));
            limits.AddFixedWindowLimiter("one", static window => (window.PermitLimit, window.Window) = (1, TimeSpan.FromHours(1)));
        });
        WebApplication application = builder.Build();
        application.UseAuthentication();
        application.UseAuthorization();
        application.UseRateLimiter();
        application.UseWebSockets();
        ask(application.MapBrokerMonitoring(server), application.MapBrokerWebSocket("/nats", server));
        await application.StartAsync(Cancellation);
        return application;
    }

    private static HttpClient Client(WebApplication application) => new() { BaseAddress = new Uri(application.Urls.First()), Timeout = Wait.Limit };

    private static Uri NatsAt(WebApplication application) => new(application.Urls.First().Replace("http", "ws", StringComparison.Ordinal) + "/nats");

    private static async Task<string> InfoAsync(WebApplication application, string? user)
    {
        using var socket = new ClientWebSocket();
        if (user is not null)
        {
            socket.Options.SetRequestHeader(Header, user);
        }

        await socket.ConnectAsync(NatsAt(application), Cancellation);
        byte[] bytes = new byte[4096];
        WebSocketReceiveResult read = await socket.ReceiveAsync(bytes, Cancellation);
        return Encoding.UTF8.GetString(bytes, 0, read.Count);
    }

    /// <summary>Accepts every user name without a password.</summary>
    private sealed class ByHeader(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync()
            => Task.FromResult(Request.Headers[Header].ToString() is { Length: > 0 } name
                ? AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], Scheme.Name)), Scheme.Name))
                : AuthenticateResult.NoResult());
    }
}
