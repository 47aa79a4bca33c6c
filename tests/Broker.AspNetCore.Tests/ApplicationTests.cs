using System.Net;
using System.Net.WebSockets;
using System.Security.Claims;
using System.Text;
using System.Text.Encodings.Web;
using Broker.AspNetCore.Monitoring;
using Broker.AspNetCore.WebSockets;
using Broker.Server;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.AspNetCore.Tests;

/// <summary>Pages and WebSocket in a user's own application: what that asks of who comes holds for them too.</summary>
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

        foreach (string path in (string[])["varz", "connz", "metrics", "nats"])
        {
            using HttpResponseMessage refused = await http.GetAsync(new Uri(path, UriKind.Relative), Cancellation);
            Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        }

        await Assert.ThrowsAsync<WebSocketException>(() => InfoAsync(application, user: null));
        http.DefaultRequestHeaders.Add(Header, "ada");
        Assert.Contains("server_id", await http.GetStringAsync(new Uri("varz", UriKind.Relative), Cancellation), StringComparison.Ordinal);
        Assert.StartsWith("INFO {", await InfoAsync(application, "ada"), StringComparison.Ordinal);
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

        HttpStatusCode[] answers = new HttpStatusCode[3];
        for (int i = 0; i < answers.Length; i++)
        {
            using HttpResponseMessage answer = await http.GetAsync(new Uri("varz", UriKind.Relative), Cancellation);
            answers[i] = answer.StatusCode;
        }

        Assert.Equal([HttpStatusCode.OK, HttpStatusCode.OK, HttpStatusCode.TooManyRequests], answers);
        Assert.StartsWith("INFO {", await InfoAsync(application, "ada"), StringComparison.Ordinal);
        await Assert.ThrowsAsync<WebSocketException>(() => InfoAsync(application, "ada"));
    }

    private static async Task<WebApplication> StartAsync(BrokerServer server, Action<IEndpointConventionBuilder, IEndpointConventionBuilder> ask)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddAuthentication("header").AddScheme<AuthenticationSchemeOptions, ByHeader>("header", null);
        builder.Services.AddAuthorization();
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

    private static async Task<string> InfoAsync(WebApplication application, string? user)
    {
        using var socket = new ClientWebSocket();
        if (user is not null)
        {
            socket.Options.SetRequestHeader(Header, user);
        }

        await socket.ConnectAsync(new Uri(application.Urls.First().Replace("http", "ws", StringComparison.Ordinal) + "/nats"), Cancellation);
        byte[] bytes = new byte[4096];
        WebSocketReceiveResult read = await socket.ReceiveAsync(bytes, Cancellation);
        return Encoding.UTF8.GetString(bytes, 0, read.Count);
    }

    /// <summary>Whoever says a name is that user.</summary>
    private sealed class ByHeader(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync()
            => Task.FromResult(Request.Headers[Header].ToString() is { Length: > 0 } name
                ? AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], Scheme.Name)), Scheme.Name))
                : AuthenticateResult.NoResult());
    }
}
