using System.CommandLine;
using Broker.HostileRun.Attacks;
using Broker.HostileRun.Reporting;
using Broker.HostileRun.Site;

namespace Broker.HostileRun;

/// <summary>The command line. The exit code is 1 if a promise was not kept or if the arguments are wrong.</summary>
internal static class CommandLine
{
    public static RootCommand Create()
    {
        var minutes = new Option<double>("--minutes")
        {
            Description = "How long the attackers attack. The honest traffic first runs alone for a fifth of this time, at most 30 s.",
            DefaultValueFactory = _ => 5,
        };
        minutes.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<double>() is not (> 0 and <= 24 * 60))
            {
                result.AddError("--minutes must be above 0 and at most a day.");
            }
        });
        var heapLimit = new Option<long?>("--heap-limit")
        {
            Description = "The limit of the broker's heap, such as 200MB or 512MiB: its DOTNET_GCHeapHardLimit.",
            CustomParser = result =>
            {
                if (SizeText.TryParse(result.Tokens[0].Value, out long bytes))
                {
                    return bytes;
                }

                result.AddError($"'{result.Tokens[0].Value}' is not a size such as 200MB or 512MiB.");
                return null;
            },
        };
        var program = new Option<FileInfo>("--program")
        {
            Description = "A native file of the broker to attack, such as artifacts/linux-x64/broker. Without it, the managed program is attacked.",
        };
        program.AcceptExistingOnly();
        var priority = new Option<AttackersPriority>("--attackers-priority")
        {
            Description = "'lowest' gives the attackers a processor only when no other program wants it (nice 19 on Linux), as if they had a "
                + "machine of their own. With 'normal' they compete with the broker for the processors, so a late answer may be a wait for one.",
        };
        var noTimes = new Option<bool>("--no-times") { Description = "Report times and rates, but do not judge them: for a machine that does other work." };
        Option<string[]> kinds = Kinds(AttackersProcess.KindsOption);
        var command = new RootCommand("Attacks the built broker beside honest traffic. Nothing honest may be lost, and its memory may not grow.")
        {
            minutes, kinds, priority, heapLimit, program, noTimes, CreateAttack(),
        };
        command.SetAction((result, cancellationToken) =>
        {
            var settings = new RunSettings
            {
                Duration = TimeSpan.FromMinutes(result.GetValue(minutes)),
                HeapLimit = result.GetValue(heapLimit),
                Program = result.GetValue(program)?.FullName,
                Kinds = Catalogue.Select(result.GetValue(kinds) ?? []),
                Priority = result.GetValue(priority),
                JudgesTimes = !result.GetValue(noTimes),
            };
            return RunAsync(settings, cancellationToken);
        });
        return command;
    }

    private static async Task<int> RunAsync(RunSettings settings, CancellationToken cancellationToken)
    {
        try
        {
            RunOutcome outcome = await new MixedRun(settings, Console.Error).RunAsync(cancellationToken);
            IReadOnlyList<string> broken = Promises.Broken(settings, outcome);
            Console.Out.Write(RunReport.ToText(settings, outcome, broken));
            return broken.Count == 0 ? 0 : 1;
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine("The run was stopped, so there is no report.");
            return 1;
        }
    }

    private static Command CreateAttack()
    {
        var endpoints = new Argument<string>("endpoints") { Description = "The file with the ports of the broker." };
        Option<string[]> kinds = Kinds(AttackersProcess.KindsOption);
        var command = new Command(AttackersProcess.Command, "The attackers of a run, in their own process. They stop when the input ends.")
        {
            endpoints, kinds,
        };
        command.Hidden = true;
        command.SetAction(async (result, _) =>
        {
            var barrage = new Barrage(SiteFiles.ReadEndpoints(result.GetValue(endpoints)!), Catalogue.Select(result.GetValue(kinds) ?? []));
            await barrage.RunAsync(Console.In, Console.Out);
            return 0;
        });
        return command;
    }

    private static Option<string[]> Kinds(string name)
    {
        var kinds = new Option<string[]>(name)
        {
            Description = $"Only these kinds of attacks, separated by commas. There are: {string.Join("; ", Catalogue.All.Select(kind => $"{kind.Name}, {kind.What}"))}.",
            CustomParser = result =>
                [.. result.Tokens.SelectMany(token => token.Value.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))],
        };
        kinds.Validators.Add(result =>
        {
            try
            {
                Catalogue.Select(result.GetValueOrDefault<string[]>() ?? []);
            }
            catch (ArgumentException e)
            {
                result.AddError(e.Message);
            }
        });
        return kinds;
    }
}
