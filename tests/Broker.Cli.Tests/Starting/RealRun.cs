using System.Runtime.ExceptionServices;
using Broker.Cli.CommandLine;
using Broker.Cli.Serving;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.Starting;

/// <summary>
/// The result of running the command in this process with a real host, which is stopped after its start.
/// </summary>
/// <param name="ExitCode">The exit code.</param>
/// <param name="Output">Standard output.</param>
/// <param name="Error">Standard error, which includes the log.</param>
/// <param name="Addresses">The addresses in use, or null if the host did not start.</param>
internal sealed record RealRun(int ExitCode, string Output, string Error, ServeAddresses? Addresses)
{
    /// <summary>Standard output and standard error.</summary>
    public string Said => Output + Error;

    public static Task<RealRun> Of(params string[] args) => Of(static _ => Task.CompletedTask, args);

    /// <summary>Runs the command until the work ends. An exception of the work is that of the result.</summary>
    public static async Task WhileServingAsync(Func<ServeAddresses, Task> work, params string[] args)
    {
        ExceptionDispatchInfo? failure = null;
        RealRun run = await Of(
            async addresses =>
            {
                try
                {
                    await work(addresses);
                }
                catch (Exception e) when (e is not OutOfMemoryException)
                {
                    failure = ExceptionDispatchInfo.Capture(e);
                }
            },
            args);
        failure?.Throw();
        Assert.True(run.ExitCode == Progress.ExitCode.Success, run.Said);
    }

    /// <summary>Runs the command, and calls <paramref name="whileServing"/> before the stop.</summary>
    public static async Task<RealRun> Of(Func<ServeAddresses, Task> whileServing, params string[] args)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        stop.CancelAfter(TimeSpan.FromMinutes(2));
        using var output = new StringWriter();
        using var error = new StringWriter();
        // Each writer is synchronized, because the log and the command write at the same time.
        (TextWriter guardedOutput, TextWriter guardedError) = (TextWriter.Synchronized(output), TextWriter.Synchronized(error));
        ObservedHost host = Observe(new ServeHost());
        var command = new BrokerCommand(
            guardedOutput,
            guardedError,
            new Screen(guardedOutput, guardedError, isTerminal: false, static () => 200),
            new ShellStreams(Stream.Null, Stream.Null, guardedError, isInputRedirected: true, colours: false),
            () => host)
        {
            CreateBridge = identify => host = Observe(new BridgeHost(identify)),
        };
        int exitCode = await command.RunAsync(args, stop.Token);
        return new RealRun(exitCode, output.ToString(), error.ToString(), host.Addresses);

        ObservedHost Observe(IServeHost real) => new(real, async addresses =>
        {
            await whileServing(addresses);
            await stop.CancelAsync();
        });
    }
}
