using System.CommandLine;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.SlowReaders;

/// <summary>
/// The arguments of <c>slow-readers</c>. Exit codes: 0; 1 if this broker lost a message; 2 if the arguments are wrong.
/// </summary>
internal static class SlowReadersCommand
{
    public static Command Create()
    {
        var messages = new Option<long>("--messages") { Description = "The number of published messages of 1 KiB.", DefaultValueFactory = _ => 2_000_000 };
        var readers = new Option<string>("--readers") { Description = "The numbers of subscribers, separated by commas.", DefaultValueFactory = _ => "1,4,16" };
        var speed = new Option<double>("--speed") { Description = "The reading speed of a slow subscriber in MB/s.", DefaultValueFactory = _ => 40 };
        Option<string[]> servers = ServerOptions.Servers();
        var markdown = new Option<FileInfo?>("--markdown") { Description = "Write the report to this file." };
        messages.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<long>() is < 1 or > 1_000_000_000)
            {
                result.AddError("--messages must be from 1 to 1000000000.");
            }
        });
        readers.Validators.Add(result =>
        {
            if (Numbers(result.GetValueOrDefault<string>()) is null)
            {
                result.AddError("--readers must be numbers from 1 to 1000, separated by commas.");
            }
        });
        speed.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<double>() is not (> 0 and <= 100_000))
            {
                result.AddError("--speed must be above 0 and at most 100000.");
            }
        });

        var command = new Command("slow-readers", "Publishes faster than the subscribers read. Shows what each server delivers, how long it takes, and what a bystander notices.")
        {
            messages, readers, speed, servers, markdown,
        };
        command.SetAction((result, cancellationToken) =>
        {
            var settings = new SlowReadersSettings
            {
                Messages = result.GetValue(messages),
                Readers = Numbers(result.GetValue(readers)) ?? [],
                BytesPerSecond = result.GetValue(speed) * 1e6,
            };
            return Task.Run(() => Run(settings, result.GetValue(servers) ?? [], result.GetValue(markdown), cancellationToken), CancellationToken.None);
        });
        return command;
    }

    private static int[]? Numbers(string? text)
    {
        string[] parts = (text ?? "").Split(',', StringSplitOptions.TrimEntries);
        int[] numbers = [.. parts.Select(part => int.TryParse(part, out int number) ? number : 0)];
        return Array.TrueForAll(numbers, number => number is >= 1 and <= 1_000) ? numbers : null;
    }

    private static int Run(SlowReadersSettings settings, string[] servers, FileInfo? markdown, CancellationToken cancellationToken)
    {
        IReadOnlyList<ServerCommand> commands;
        try
        {
            commands = KnownServers.With([.. servers.Select(ServerCommand.Parse)], []);
        }
        catch (ArgumentException e)
        {
            Console.Error.WriteLine(e.Message);
            return 2;
        }

        try
        {
            using var resources = new DriverResources();
            List<SlowReadersOutcome> outcomes = [];
            foreach ((int readers, bool areSlow, ServerCommand command) in Measurements(settings, commands))
            {
                Console.Error.WriteLine($"{command.Name}: {readers} {(areSlow ? "slow" : "fast")}");
                outcomes.Add(new SlowReadersRun(settings, command, resources).Run(readers, areSlow, cancellationToken));
            }

            Console.Out.WriteLine();
            Console.Out.Write(SlowReadersReport.ToText(settings, outcomes));
            if (markdown is not null)
            {
                markdown.Directory?.Create();
                File.WriteAllText(markdown.FullName, SlowReadersReport.ToMarkdown(settings, outcomes));
            }

            return outcomes.Exists(o => o.Server == KnownServers.Ours && (o.Failure is not null || o.Received != o.Expected)) ? 1 : 0;
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine("The run was stopped, so there is no report.");
            return 1;
        }
    }

    /// <summary>The servers take turns, so that a busy moment of the machine does not hit one of them only.</summary>
    private static IEnumerable<(int Readers, bool AreSlow, ServerCommand Command)> Measurements(SlowReadersSettings settings, IReadOnlyList<ServerCommand> commands)
        => from readers in settings.Readers
           from areSlow in (bool[])[false, true]
           from command in commands
           select (readers, areSlow, command);
}
