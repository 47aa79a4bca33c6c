using Broker.Cli.Configuration;
using Broker.Cli.Terminal;

namespace Broker.Cli.CommandLine;

/// <summary>Tells what is wrong with the settings that a command was given.</summary>
internal static class SettingsReport
{
    /// <summary>The settings; null when something of them is wrong, which has been told then.</summary>
    /// <param name="screen">Where it is told.</param>
    /// <param name="everyProblem">Whether all that is wrong is told, or the first of it.</param>
    /// <param name="command">The command that tells all: <c>broker serve -t</c>.</param>
    /// <param name="read">Reads them.</param>
    public static ServeSettings? Read(
        Screen screen, bool everyProblem, string command, Func<(ServeSettings Settings, IReadOnlyList<ConfigProblem> Warnings)> read)
    {
        try
        {
            var (settings, warnings) = read();
            foreach (var warning in warnings)
            {
                screen.WriteErrorLine($"broker: warning: {warning}");
            }

            return settings;
        }
        catch (ConfigUnreadableException e)
        {
            screen.WriteErrorLine($"broker: {e.Message}");
        }
        catch (ConfigException e) when (everyProblem || e.Problems.Count == 1)
        {
            foreach (var problem in e.Problems)
            {
                screen.WriteErrorLine($"broker: {problem}");
            }
        }
        catch (ConfigException e)
        {
            screen.WriteErrorLine($"broker: {e.Message} (and {e.Problems.Count - 1} more: {command} shows them)");
        }

        return null;
    }
}
