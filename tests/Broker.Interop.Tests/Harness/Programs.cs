using System.Diagnostics;

namespace Broker.Interop.Tests.Harness;

/// <summary>Finds programs and files outside the build.</summary>
internal static class Programs
{
    private static readonly Lazy<string> LazyPeers = new(FindPeers);

    /// <summary>The folder with the sources of the peers.</summary>
    public static string Peers => LazyPeers.Value;

    /// <summary>The full path of a program on the PATH or among the system's, or null.</summary>
    public static string? Find(string name)
    {
        // Debian keeps servers in sbin, which is not on every user's PATH.
        var folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Append("/usr/sbin");
        var file = OperatingSystem.IsWindows() ? name + ".exe" : name;
        return folders.Where(folder => folder.Length > 0).Select(folder => Path.Combine(folder, file)).FirstOrDefault(File.Exists);
    }

    /// <summary>Runs a short program to its end and answers its exit code and what it wrote.</summary>
    public static async Task<(int ExitCode, string Text)> RunAsync(string program, string? input, params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(program)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        using var process = Process.Start(start)!;
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(TimeSpan.FromMinutes(1));
        var output = process.StandardOutput.ReadToEndAsync(timeout.Token);
        var errors = process.StandardError.ReadToEndAsync(timeout.Token);
        await process.StandardInput.WriteAsync(input.AsMemory(), timeout.Token);
        process.StandardInput.Close();
        await process.WaitForExitAsync(timeout.Token);
        return (process.ExitCode, await output + await errors);
    }

    private static string FindPeers()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            var peers = Path.Combine(folder.FullName, "tests", "Broker.Interop.Tests", "peers");
            if (Directory.Exists(peers))
                return peers;
        }

        throw new DirectoryNotFoundException("the tests do not run inside a working copy, so the peers' sources are not found");
    }
}
