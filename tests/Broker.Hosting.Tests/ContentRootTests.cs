using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests;

/// <summary>Relative file names in settings, for a program with any current directory.</summary>
public sealed class ContentRootTests : IDisposable
{
    private readonly TemporaryFolder _content = new();

    public void Dispose() => _content.Dispose();

    [Fact]
    public async Task Relative_files_begin_at_the_root_of_the_host()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "sockets of Unix");
        TestCertificates.WriteSelfSigned(_content.Path);
        await File.WriteAllTextAsync(Path.Combine(_content.Path, "users"), "ada:secret\n", TestContext.Current.CancellationToken);
        await using var host = TestHost.BuildIn(
            _content.Path,
            static s => s.AddBroker().AddZeroMqBridge(),
            ("Broker:Listen:0", "127.0.0.1:0"), ("Broker:Listen:1", "unix:nats.sock"),
            ("Broker:Tls:CertificateFile", "server.pem"), ("Broker:Tls:KeyFile", "server.key"),
            ("ZeroMqBridge:Routes:a:Pattern", "pushpull"), ("ZeroMqBridge:Routes:a:Subject", "a"), ("ZeroMqBridge:Routes:a:Pushers", "tcp://127.0.0.1:*"),
            ("ZeroMqBridge:Routes:a:Security:Mechanism", "plain"), ("ZeroMqBridge:Routes:a:Security:Role", "server"),
            ("ZeroMqBridge:Routes:a:Security:UsersFile", "users"));

        await host.StartAsync();

        Assert.True(File.Exists(Path.Combine(_content.Path, "nats.sock")));
        Assert.Equal(2, host.Services.GetRequiredService<BrokerServer>().EndPoints.Count);
        Assert.Equal("PLAIN server", host.Services.GetRequiredService<ZeroMqBridge>().Snapshot()["a"]?.Security);
    }

    [Fact]
    public async Task A_client_reads_its_authority_from_there()
    {
        TestCertificates.WriteSelfSigned(_content.Path);
        await using var server = TestHost.BuildIn(
            _content.Path, static s => s.AddBroker(),
            ("Broker:Listen:0", "127.0.0.1:0"), ("Broker:Tls:CertificateFile", "server.pem"), ("Broker:Tls:KeyFile", "server.key"));
        await server.StartAsync();
        await using var host = TestHost.BuildIn(
            _content.Path, static s => s.AddBrokerClient(),
            ("BrokerClient:Servers:0", server.Url.Replace("nats:", "tls:", StringComparison.Ordinal)), ("BrokerClient:TlsAuthorityFile", "server.pem"));

        await host.StartAsync();

        Assert.Equal(ConnectionState.Connected, host.Services.GetRequiredService<BrokerConnection>().State);
    }

    [Fact]
    public async Task A_file_that_is_missing_is_named_with_its_folder()
    {
        await using var host = TestHost.BuildIn(
            _content.Path, static s => s.AddBroker(), ("Broker:Listen:0", "127.0.0.1:0"), ("Broker:Tls:CertificateFile", "missing.pem"));

        OptionsValidationException e = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);

        Assert.Contains(Path.Combine(_content.Path, "missing.pem"), e.Message, StringComparison.Ordinal);
    }
}
