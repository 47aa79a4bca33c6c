using System.Globalization;

namespace Broker.Interop.Tests.Harness;

/// <summary>broker bridge, which is killed with SIGKILL and started again as it was.</summary>
internal sealed class MortalBridge : IAsyncDisposable
{
    private readonly string[] _arguments;
    private PeerProcess _process;

    /// <param name="url">Of its server.</param>
    /// <param name="routes">As the command takes them.</param>
    public MortalBridge(string url, params IEnumerable<string> routes)
    {
        _arguments = ["bridge", "-q", "-s", url, .. routes.SelectMany(route => (string[])["--route", route])];
        _process = BrokerProcess.RunCommand(_arguments);
    }

    /// <summary>What the sender's and the receiver's side of a connection can hold at most: nobody's when one of its ends is killed.</summary>
    public static long KernelBytes() => ((string[])["tcp_wmem", "tcp_rmem"]).Sum(name => long.Parse(
        File.ReadAllText($"/proc/sys/net/ipv4/{name}").Split('\t', StringSplitOptions.TrimEntries)[2], CultureInfo.InvariantCulture));

    public async Task KillAndStartAsync()
    {
        await _process.SignalAsync("KILL");
        await _process.WaitForExitAsync();
        await _process.DisposeAsync();
        _process = BrokerProcess.RunCommand(_arguments);
    }

    public ValueTask DisposeAsync() => _process.DisposeAsync();
}
