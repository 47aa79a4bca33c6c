using System.Text;
using Broker.Client;
using Broker.Server;
using Broker.Transport;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting.Tests;

/// <summary>A web application with NATS ports on Kestrel, as in docs/hosting.md.</summary>
public sealed class KestrelPortTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_ports_as_they_are_printed_serve_NATS_clients_in_clear_and_by_TLS()
    {
        (int http, int nats, int secure) = (FreePort.Next(), FreePort.Next(), FreePort.Next());
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--Broker:InProcessOnly=true"]);
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration().ConfigureKestrel(static k => k.ConfigureHttpsDefaults(static h => h.ServerCertificate = TestCertificates.Common.Server));
        builder.Services.AddBroker(static s => s.AuthTimeout = Wait.Limit).AddBrokerClient(static s => s.ConnectTimeout = Wait.Limit);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.ListenLocalhost(http);
            kestrel.ListenAnyIP(nats, listen => listen.UseBroker());
            kestrel.ListenAnyIP(secure, listen => listen.UseHttps().UseBroker());
        });
        await using WebApplication application = builder.Build();
        await application.StartAsync(Cancellation);
        application.Services.GetRequiredService<BrokerConnection>().Subscribe("ask", static (in message) => message.Respond("yes"u8));
        ClientOptions options = TestHost.Patient($"nats://localhost:{nats}");
        await using BrokerConnection inClear = await BrokerConnection.ConnectAsync(options, Cancellation);
        await using BrokerConnection byTls = await BrokerConnection.ConnectAsync(
            options with
            {
                Servers = [$"nats://localhost:{secure}"],
                Tls = new ClientTlsOptions { AuthorityFile = TestCertificates.Common.AuthorityFile, HandshakeFirst = true },
            },
            Cancellation);

        foreach (BrokerConnection client in (BrokerConnection[])[inClear, byTls])
        {
            Assert.Equal("yes", Encoding.UTF8.GetString((await client.RequestAsync("ask", default, Wait.Limit, cancellationToken: Cancellation)).Body.Span));
        }

        Assert.Equal((null, true), (inClear.TlsDescription, byTls.TlsDescription is not null));
        Assert.Empty(application.Services.GetRequiredService<BrokerServer>().EndPoints);
        await application.StopAsync(Cancellation);
    }

    [Fact]
    public void What_is_printed_is_what_is_tested()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "hosting.md"));
        string test = File.ReadAllText(Path.Combine(Repository.Root, "tests", "Broker.Hosting.Tests", "KestrelPortTests.cs"));
        string printed = page[page.IndexOf("builder.WebHost.ConfigureKestrel", StringComparison.Ordinal)..];
        printed = printed[..printed.IndexOf("```", StringComparison.Ordinal)]
            .Replace("8080", "http", StringComparison.Ordinal).Replace("4222", "nats", StringComparison.Ordinal).Replace("4223", "secure", StringComparison.Ordinal);

        Assert.Contains(Lines(printed), Lines(test), StringComparison.Ordinal);
    }

    private static string Lines(string text) => string.Join('\n', text.Split('\n').Select(static l => l.Trim())).Trim();
}
