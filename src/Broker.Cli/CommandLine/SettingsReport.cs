using Broker.Cli.Configuration;
using Broker.Cli.Terminal;

namespace Broker.Cli.CommandLine;

/// <summary>Reads the settings of a command and writes their errors and warnings.</summary>
internal static class SettingsReport
{
    /// <summary>Returns the settings, or writes their errors and returns null.</summary>
    /// <param name="screen">Receives errors and warnings.</param>
    /// <param name="everyProblem">Whether all errors are written, or only the first.</param>
    /// <param name="command">The command that lists all errors, such as <c>broker serve -t</c>.</param>
    /// <param name="read">Reads the settings.</param>
    public static ServeSettings? Read(
        Screen screen, bool everyProblem, string command, Func<(ServeSettings Settings, IReadOnlyList<ConfigProblem> Warnings)> read)
    {
        try
        {
            (ServeSettings? settings, IReadOnlyList<ConfigProblem>? warnings) = read();
            foreach (ConfigProblem warning in warnings)
            {
                screen.WriteErrorLine($"broker: warning: {SafeText.OneLine(warning.ToString())}");
            }

            return settings;
        }
        catch (ConfigUnreadableException e)
        {
            screen.WriteErrorLine($"broker: {SafeText.OneLine(e.Message)}");
        }
        catch (ConfigException e) when (everyProblem || e.Problems.Count == 1)
        {
            foreach (ConfigProblem problem in e.Problems)
            {
                screen.WriteErrorLine($"broker: {SafeText.OneLine(problem.ToString())}");
            }
        }
        catch (ConfigException e)
        {
            screen.WriteErrorLine($"broker: {SafeText.OneLine(e.Message)} (and {e.Problems.Count - 1} more: {command} shows them)");
        }

        return null;
    }
}
