using System.Diagnostics;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>Runs the program of the cases on both libraries, once for all tests.</summary>
public sealed class CasePrograms : IAsyncLifetime
{
    public static string RealFolder { get; } = Folder("Broker.NetMQ.Cases.Real");

    public static string OursFolder { get; } = Folder("Broker.NetMQ.Cases.Ours");

    public IReadOnlyDictionary<string, string> Real { get; private set; } = new Dictionary<string, string>();

    public IReadOnlyDictionary<string, string> Ours { get; private set; } = new Dictionary<string, string>();

    public async ValueTask InitializeAsync()
    {
        Real = await RunAsync(Path.Combine(RealFolder, "netmq-cases-real.dll"));
        Ours = await RunAsync(Path.Combine(OursFolder, "netmq-cases-ours.dll"));
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private static string Folder(string project)
        => Path.Combine(Repository.Root, "tests", project, "bin", Repository.Configuration, "net10.0");

    private static async Task<IReadOnlyDictionary<string, string>> RunAsync(string program)
    {
        var start = new ProcessStartInfo("dotnet", [program]) { RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        using var time = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        try
        {
            string output = await process.StandardOutput.ReadToEndAsync(time.Token);
            await process.WaitForExitAsync(time.Token);
            return output.Split("## ", StringSplitOptions.RemoveEmptyEntries)
                .Select(text => text.Split('\n', 2)).ToDictionary(parts => parts[0], parts => parts[1]);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }
}
