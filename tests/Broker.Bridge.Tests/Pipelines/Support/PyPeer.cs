using System.Diagnostics;
using System.Globalization;

namespace Broker.Bridge.Tests.Pipelines.Support;

/// <summary>An unmodified pyzmq program that the test controls through lines of text.</summary>
internal abstract class PyPeer : IAsyncDisposable
{
    private const string Python = "/usr/bin/python3";

    private static readonly Lazy<bool> HasPyzmq = new(Look);

    private readonly SemaphoreSlim _turn = new(1);

    protected PyPeer(string name, string script, params IEnumerable<string> arguments)
    {
        Require();
        Process = PeerProcess.Start(name, Python, ["-u", "-c", script, .. arguments]);
    }

    /// <summary>Skips the test if pyzmq is not installed.</summary>
    internal static void Require() => Missing.Unless(HasPyzmq.Value, "python3-zmq");

    internal PeerProcess Process { get; }

    /// <summary>Kills the program.</summary>
    public ValueTask DisposeAsync() => Process.DisposeAsync();

    protected async Task<string> AskAsync(string line)
    {
        await _turn.WaitAsync(TestContext.Current.CancellationToken);
        try
        {
            await Process.WriteLineAsync(line);
            return await Process.ReadLineAsync();
        }
        finally
        {
            _turn.Release();
        }
    }

    protected async Task<long> AskNumberAsync(string line) => long.Parse(await AskAsync(line), CultureInfo.InvariantCulture);

    private static bool Look()
    {
        if (!File.Exists(Python))
        {
            return false;
        }

        using Process check = System.Diagnostics.Process.Start(new ProcessStartInfo(Python, ["-c", "import zmq"]) { RedirectStandardError = true })!;
        check.WaitForExit();
        return check.ExitCode == 0;
    }
}
