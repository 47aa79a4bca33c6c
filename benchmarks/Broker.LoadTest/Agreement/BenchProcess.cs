using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Agreement;

/// <summary>Runs <c>broker bench</c> in a process of its own.</summary>
/// <param name="program">The program and its first arguments, up to the command.</param>
/// <param name="time">How long each session is measured, after a warm-up of the same time.</param>
/// <param name="sessions">The sessions whose mean is the rate.</param>
internal sealed class BenchProcess(IReadOnlyList<string> program, TimeSpan time, int sessions)
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

    /// <summary>How long a session is measured.</summary>
    public TimeSpan Time { get; } = time;

    /// <summary>The number of sessions.</summary>
    public int Sessions { get; } = sessions;

    /// <summary>Measures the sessions of a row, and returns the mean of their messages per second.</summary>
    /// <exception cref="DriverException">The program has failed.</exception>
    public double Measure(BenchRow row, ServerProcess server, CancellationToken cancellationToken)
    {
        string seconds = string.Create(CultureInfo.InvariantCulture, $"{Time.TotalMilliseconds:0}ms");
        // In the first session the program is not compiled yet.
        string rounds = (Sessions + 1).ToString(CultureInfo.InvariantCulture);
        string[] arguments =
        [
            .. program.Skip(1), "bench", .. row.Arguments, "-s", $"nats://{server.Address.EndPoint}", "--time", seconds, "--warm-up", seconds, "--rounds", rounds, "--json",
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
            ? output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1).Average(line => Read(line, row.Figure))
            : throw new DriverException($"broker bench has ended with code {process.ExitCode}. {errors.GetAwaiter().GetResult().Trim()}");
    }

    private static double Read(string line, string figure)
    {
        using var json = JsonDocument.Parse(line);
        return json.RootElement.GetProperty(figure).GetDouble();
    }
}
