using System.Diagnostics;

namespace Broker.TestKit.Processes;

/// <summary>Finds programs outside the build, and runs short ones.</summary>
public static class Programs
{
    /// <summary>Finds the full path of a program on the PATH or in the system folders; null if there is none.</summary>
    public static string? Find(string name)
    {
        // On Debian, servers are in sbin, which is not on every user's PATH.
        IEnumerable<string> folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Append("/usr/sbin");
        string file = OperatingSystem.IsWindows() ? name + ".exe" : name;
        return folders.Where(folder => folder.Length > 0).Select(folder => Path.Combine(folder, file)).FirstOrDefault(File.Exists);
    }

    /// <summary>Finds the full path of a program. If there is none, the test is skipped, and fails in CI.</summary>
    public static string Require(string name)
    {
        string? program = Find(name);
        Missing.Unless(program is not null, name);
        return program!;
    }

    /// <summary>Runs a short program to its end and returns its exit code and its output.</summary>
    public static async Task<(int ExitCode, string Text)> RunAsync(string program, string? input, params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(Wait.Limit);
        Task<string> output = process.StandardOutput.ReadToEndAsync(timeout.Token);
        Task<string> errors = process.StandardError.ReadToEndAsync(timeout.Token);
        await process.StandardInput.WriteAsync(input.AsMemory(), timeout.Token);
        process.StandardInput.Close();
        await process.WaitForExitAsync(timeout.Token);
        return (process.ExitCode, await output + await errors);
    }
}
