using System.Globalization;

namespace Broker.Interop.Tests.Harness;

/// <summary>
/// Runs <c>broker bridge</c>, which a test can kill with SIGKILL and start again with the same arguments.
/// </summary>
internal sealed class MortalBridge : IAsyncDisposable
{
    private readonly string[] _arguments;
    private PeerProcess _process;

    /// <param name="url">The URL of the server.</param>
    /// <param name="routes">The routes, in the form of the flag --route.</param>
    public MortalBridge(string url, params IEnumerable<string> routes)
    {
        _arguments = ["bridge", "-q", "-s", url, .. routes.SelectMany(route => (string[])["--route", route])];
        _process = BrokerProcess.RunCommand(_arguments);
    }

    /// <summary>
    /// The maximum number of bytes in the kernel buffers of a connection, which are lost when one of its ends is
    /// killed.
    /// </summary>
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
