using System.CommandLine;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Soak;

/// <summary>
/// The arguments of <c>soak-streams</c>. Exit codes: 0, 1 when something was lost or grew, 2 when the arguments are
/// wrong.
/// </summary>
internal static class SoakCommand
{
    public static Command Create()
    {
        var minutes = new Option<double>("--minutes") { Description = "How long the soak lasts. Three minutes are enough to try it.", DefaultValueFactory = _ => 60 };
        var rate = new Option<int>("--rate") { Description = "Messages published per second.", DefaultValueFactory = _ => 300 };
        var directory = new Option<DirectoryInfo?>("--directory") { Description = "The directory of the streams, which stays. The default is a new directory of temporary files, which is deleted at the end." };
        var output = new Option<FileInfo?>("--output") { Description = "Write the report to this file too." };
        minutes.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<double>() is not (>= 0.2 and <= 24 * 60))
            {
                result.AddError("--minutes must be from 0.2 to 1440.");
            }
        });
        rate.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() is < 10 or > 100_000)
            {
                result.AddError("--rate must be from 10 to 100000.");
            }
        });

        var command = new Command(
            "soak-streams",
            "Runs this broker with streams on the disk and every kind of retention, and samples disk, memory and open files. Fails if one of them grows in the second half, or if an acknowledged message is not received.")
        {
            minutes, rate, directory, output,
        };
        command.SetAction((result, cancellationToken) => RunAsync(
            new SoakSettings
            {
                Duration = TimeSpan.FromMinutes(result.GetValue(minutes)),
                Rate = result.GetValue(rate),
                Directory = result.GetValue(directory),
            },
            result.GetValue(output),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(SoakSettings settings, FileInfo? output, CancellationToken cancellationToken)
    {
        try
        {
            SoakReport report = await new SoakRun(settings, Console.Error).RunAsync(cancellationToken);
            string text = report.ToText();
            await Console.Out.WriteLineAsync();
            await Console.Out.WriteAsync(text);
            if (output is not null)
            {
                output.Directory?.Create();
                await File.WriteAllTextAsync(output.FullName, text, CancellationToken.None);
            }

            return report.Failures.Count == 0 ? 0 : 1;
        }
        catch (DriverException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return 1;
        }
    }
}
