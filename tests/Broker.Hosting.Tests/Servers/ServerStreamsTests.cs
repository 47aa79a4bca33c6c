using Broker.Client.Streams;
using Broker.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests.Servers;

/// <summary>A host whose server has streams.</summary>
public sealed class ServerStreamsTests : IDisposable
{
    private static readonly (string, string) Free = ("Broker:Listen:0", "127.0.0.1:0");

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("host-streams-");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public async Task What_was_acknowledged_is_there_when_the_host_starts_again()
    {
        for (ulong number = 1; number <= 2; number++)
        {
            await using TestHost host = await TestHost.StartAsync(
                static s => s.AddBroker().AddBrokerClient().AddBrokerStreams(), Free,
                ("Broker:Streams:Directory", _directory.FullName), ("Broker:Streams:MaxFile", "1MB"), ("Broker:Streams:Domain", "here"));
            StreamsClient streams = host.Services.GetRequiredService<StreamsClient>();
            await streams.CreateOrUpdateStreamAsync(new StreamConfig("S", "s"), Cancellation);
            Assert.Equal(number, (await streams.PublishAsync("s", "1"u8.ToArray(), cancellationToken: Cancellation)).Sequence);
            StreamsDescription described = host.Services.GetRequiredService<BrokerServer>().Inspect().Streams!;
            Assert.Equal((1024L * 1024, "here"), (described.MaxFile, described.Domain));
        }
    }

    [Fact]
    public async Task An_account_has_limits_on_its_streams()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddBrokerClient().AddBrokerStreams(), Free,
            ("Broker:Streams:Directory", _directory.FullName), ("Broker:Streams:AccountLimits:0:Account", "$G"), ("Broker:Streams:AccountLimits:0:MaxStreams", "1"),
            ("Broker:Streams:AccountLimits:0:MaxFile", "1MB"), ("Broker:Streams:AccountLimits:0:RequiresMaxBytes", "true"));
        StreamsClient streams = host.Services.GetRequiredService<StreamsClient>();
        await streams.CreateStreamAsync(new StreamConfig("S", "s") { MaxBytes = 1000 }, Cancellation);

        AccountInfo account = await streams.GetAccountAsync(Cancellation);
        StreamException refused = await Assert.ThrowsAsync<StreamException>(() => streams.CreateStreamAsync(new StreamConfig("T", "t") { MaxBytes = 1000 }, Cancellation));

        Assert.Equal((1, 1024L * 1024, true), (account.Limits.MaxStreams, account.Limits.MaxStorage, account.Limits.IsMaxBytesRequired));
        Assert.Equal(10027, (int)refused.Code);
    }

    [Fact]
    public async Task Code_can_name_the_directory()
    {
        await using TestHost host = await TestHost.StartAsync(s => s.AddBroker(broker => broker.UseStreams(_directory.FullName)), Free);

        Assert.Equal(_directory.FullName, host.Services.GetRequiredService<BrokerServer>().Inspect().Streams!.Directory);
    }

    [Theory]
    [InlineData("Broker:Streams:Domain", "a.b", "Domain")]
    [InlineData("Broker:Streams:Accounts:0", "nobody", "Accounts")]
    [InlineData("Broker:Streams:Directory", "", "Directory")]
    [InlineData("Broker:Streams:MaxFile", "-1", "MaxFile")]
    [InlineData("Broker:Streams:Folder", "x", "Folder")]
    [InlineData("Broker:Streams:AccountLimits:0:Account", "nobody", "AccountLimits")]
    [InlineData("Broker:Streams:AccountLimits:0:MaxFile", "1", "AccountLimits")]
    [InlineData("Broker:Streams:AccountLimits:0:MaxStreams", "x", "AccountLimits:0:MaxStreams")]
    public async Task A_wrong_setting_is_named(string key, string value, string named)
    {
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => TestHost.StartAsync(
            static s => s.AddBroker(), Free, ("Broker:Streams:Directory", _directory.FullName), (key, value)));

        Assert.Contains($"Broker:Streams:{named}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_change_while_the_host_runs_is_refused_by_name()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), Free, ("Broker:Streams:Directory", _directory.FullName));

        host.Change(("Broker:Streams:MaxFile", "1MB"));

        await Wait.UntilAsync(() => host.Log.Text.Contains("Broker:Streams cannot change while the server runs", StringComparison.Ordinal), () => host.Log.Text);
    }
}
