using System.Net;
using System.Net.Sockets;
using Broker.Transport;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests.Servers;

/// <summary>Sockets from systemd: the environment variables, and a worker that is started with real sockets.</summary>
public sealed class SystemdSocketsTests
{
    private const int Process = 42;

    [Fact]
    public void Sockets_begin_at_descriptor_3_and_have_the_names_of_the_unit()
    {
        IReadOnlyList<InheritedEndPoint> sockets = Of("42", "2", "nats:inner");

        Assert.Equal(["descriptor 3 (nats)", "descriptor 4 (inner)"], sockets.Select(s => s.ToString()));
        Assert.Equal(["descriptor 3"], Of("42", "1", null).Select(s => s.ToString()));
        Assert.Equal(sockets[0], new InheritedEndPoint(3));
        Assert.NotEqual(sockets[0], sockets[1]);
    }

    [Theory]
    [InlineData(null, "1")]
    [InlineData("43", "1")]
    [InlineData("42", null)]
    [InlineData("42", "")]
    [InlineData("42", "0")]
    public void Those_of_another_process_and_none_are_none(string? process, string? count) => Assert.Empty(Of(process, count, null));

    [Theory]
    [InlineData("-1", null, "LISTEN_FDS is \"-1\"")]
    [InlineData("two", null, "LISTEN_FDS is \"two\"")]
    [InlineData("4000000", null, "LISTEN_FDS is \"4000000\"")]
    [InlineData("2", "one", "LISTEN_FDNAMES has 1 names for the 2 sockets")]
    public void A_variable_that_is_wrong_is_named(string count, string? names, string said)
        => Assert.StartsWith(said, Assert.Throws<FormatException>(() => Of("42", count, names)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("systemd")]
    [InlineData("systemd/nats")]
    public async Task A_host_that_is_to_have_sockets_of_systemd_and_has_none_does_not_start(string address)
    {
        await using var host = TestHost.Build(static s => s.AddBroker(), ("Broker:Listen:0", address));

        OptionsValidationException e = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);

        Assert.Contains($"Broker:Listen: \"{address}\" needs a socket from systemd, and systemd has passed none", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_listens_at_the_sockets_that_it_is_given_by_their_names()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "systemd is Linux's");
        await using ActivatedProgram program = await ActivatedProgram.OpenAsync(
            ["tcp=127.0.0.1", "tcp=127.0.0.1"],
            "dotnet", Repository.Sample("WindowsService"), "--Broker:Listen:0=systemd/port1", "--BrokerClient:ConnectTimeout=00:02:00",
            "--ZeroMqBridge:Routes:sensors:Publishers=tcp://127.0.0.1:*", "--ZeroMqBridge:Routes:sensors:Subscribers=tcp://127.0.0.1:*");

        await program.StartAsync();

        using var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(program.Addresses[1]), TestContext.Current.CancellationToken);
        using var reader = new StreamReader(client.GetStream());
        Assert.StartsWith("INFO ", await Wait.For(reader.ReadLineAsync(TestContext.Current.CancellationToken).AsTask()), StringComparison.Ordinal);
        // The server sends INFO before the host has started completely.
        await program.SignalAsync("TERM");
        Assert.Equal(0, await program.WaitForExitAsync());
    }

    private static IReadOnlyList<InheritedEndPoint> Of(string? process, string? count, string? names) => SystemdSockets.Of(
        name => name switch { "LISTEN_PID" => process, "LISTEN_FDS" => count, "LISTEN_FDNAMES" => names, _ => null }, Process);
}
