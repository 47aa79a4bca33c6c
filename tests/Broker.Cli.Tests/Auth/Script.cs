using System.Diagnostics;

namespace Broker.Cli.Tests.Auth;

/// <summary>Runs lines of a page in a Unix shell that finds this build of <c>broker</c>.</summary>
internal static class Script
{
    /// <summary>Runs the lines to their end.</summary>
    /// <param name="text">The lines.</param>
    /// <param name="folder">The working folder.</param>
    /// <param name="server">The server of clients without <c>-s</c>.</param>
    /// <param name="arguments">More arguments of <c>broker serve</c>, such as a free port.</param>
    internal static async Task<(int ExitCode, string Output, string Error)> RunAsync(string text, string folder, string? server, string arguments = "")
    {
        string bin = Directory.CreateDirectory(Path.Combine(folder, "bin")).FullName;
        string shim = Path.Combine(bin, "broker");
        string program = Path.Combine(AppContext.BaseDirectory, "broker");
        await File.WriteAllTextAsync(
            shim, $"#!/bin/sh\nif [ \"$1\" = serve ]; then exec '{program}' \"$@\" {arguments}; fi\nexec '{program}' \"$@\"\n", TestContext.Current.CancellationToken);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(shim, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        var start = new ProcessStartInfo("/bin/sh", ["-c", text])
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["PATH"] = $"{bin}:{Environment.GetEnvironmentVariable("PATH")}", ["NATS_URL"] = server ?? "", ["BROKER_AUTH"] = "" },
        };
        using Process process = Process.Start(start)!;
        try
        {
            Task<string> output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
            Task<string> error = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
            await Wait.For(process.WaitForExitAsync(TestContext.Current.CancellationToken));
            return (process.ExitCode, await Wait.For(output), await Wait.For(error));
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }
    }
}
