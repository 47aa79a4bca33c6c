using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Agreement;

/// <summary>Runs <c>broker bench</c> in a process of its own.</summary>
/// <param name="program">The program and its first arguments, up to the command.</param>
/// <param name="time">How long it measures, after a warm-up of the same time.</param>
internal sealed class BenchProcess(IReadOnlyList<string> program, TimeSpan time)
{
    /// <summary>The command of the broker that was built together with this program.</summary>
    public static IReadOnlyList<string> Built
    {
        get
        {
            ServerCommand broker = KnownServers.With([], []).Single(static command => command.Name == KnownServers.Ours);
            return [broker.FileName, broker.Arguments[0]];
        }
    }

    /// <summary>How long <c>broker bench</c> measures.</summary>
    public TimeSpan Time { get; } = time;

    /// <summary>Measures a row once, and returns messages per second.</summary>
    /// <exception cref="DriverException">The program has failed.</exception>
    public double Measure(BenchRow row, ServerProcess server, CancellationToken cancellationToken)
    {
        string seconds = string.Create(CultureInfo.InvariantCulture, $"{Time.TotalMilliseconds:0}ms");
        string[] arguments =
        [
            .. program.Skip(1), "bench", .. row.Arguments, "-s", $"nats://{server.Address.EndPoint}", "--time", seconds, "--warm-up", seconds, "--json",
        ];
        using var process = new Process
        {
            StartInfo = new ProcessStartInfo(program[0], arguments) { RedirectStandardOutput = true, RedirectStandardError = true, UseShellExecute = false },
        };
        process.Start();
        using CancellationTokenRegistration stop = cancellationToken.Register(process.Kill);
        Task<string> errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        cancellationToken.ThrowIfCancellationRequested();
        return process.ExitCode == 0
            ? JsonDocument.Parse(output).RootElement.GetProperty(row.Figure).GetDouble()
            : throw new DriverException($"broker bench has ended with code {process.ExitCode}. {errors.GetAwaiter().GetResult().Trim()}");
    }
}
