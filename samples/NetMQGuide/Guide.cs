using NetMQ;

namespace NetMQGuide;

/// <summary>The five programs by their names.</summary>
internal static class Guide
{
    internal static int Run(string[] args, TextWriter output)
    {
        Action<TextWriter>? program = args is [var name] ? Find(name) : null;
        if (program is null)
        {
            output.WriteLine("usage: NetMQGuide greetings, weather, tasks, balancer or thermostat");
            return 1;
        }

        program(output);
        NetMQConfig.Cleanup(block: false);
        return 0;
    }

    private static Action<TextWriter>? Find(string name) => name switch
    {
        "greetings" => Greetings.Run,
        "weather" => Weather.Run,
        "tasks" => Tasks.Run,
        "balancer" => Balancer.Run,
        "thermostat" => Thermostat.Run,
        _ => null,
    };
}
