using System.CommandLine;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Scale;

/// <summary>
/// The arguments of <c>scale-streams</c>. Exit codes: 0, 1 after a failure, 2 when the arguments are wrong.
/// </summary>
internal static class ScaleCommand
{
    public static Command Create()
    {
        var defaults = new ScaleSettings();
        Option<int> streams = Number("--streams", "The number of streams.", defaults.Streams);
        Option<int> consumers = Number("--consumers", "The number of consumers, spread over the streams.", defaults.Consumers);
        Option<int> keys = Number("--keys", "The number of keys in a bucket.", defaults.Keys);
        var gigabytes = new Option<double>("--gigabytes") { Description = "The size of the store that is started at the end, in 10^9 bytes; 0 for none.", DefaultValueFactory = _ => defaults.Gigabytes };
        var directory = new Option<DirectoryInfo?>("--directory") { Description = "Where the streams are stored meanwhile. The default is a new directory of temporary files." };
        gigabytes.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<double>() is not (>= 0 and <= 1000))
            {
                result.AddError("--gigabytes must be from 0 to 1000.");
            }
        });
        var command = new Command(
            "scale-streams",
            "Creates many streams, consumers and keys in this broker, and shows whether the last tenth of them takes longer than the second. Then measures how long a start takes with all of them, and with a large store.")
        {
            streams, consumers, keys, gigabytes, directory,
        };
        command.SetAction(async (result, cancellationToken) =>
        {
            var settings = new ScaleSettings
            {
                Streams = result.GetValue(streams),
                Consumers = result.GetValue(consumers),
                Keys = result.GetValue(keys),
                Gigabytes = result.GetValue(gigabytes),
                Directory = result.GetValue(directory),
            };
            try
            {
                await new ScaleRun(settings, Console.Out).RunAsync(cancellationToken);
                return 0;
            }
            catch (DriverException e)
            {
                await Console.Error.WriteLineAsync(e.Message);
                return 1;
            }
        });
        return command;
    }

    private static Option<int> Number(string name, string description, int value)
    {
        var option = new Option<int>(name) { Description = description, DefaultValueFactory = _ => value };
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() is < 10 or > 100_000_000)
            {
                result.AddError($"{name} must be from 10 to 100000000.");
            }
        });
        return option;
    }
}
