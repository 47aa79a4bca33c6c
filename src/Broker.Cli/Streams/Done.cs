using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary>Prints what a command has done.</summary>
internal static class Done
{
    public static void Print(ShellStreams shell, bool isJson, string text, params (string Name, object? Value)[] members)
    {
        if (isJson)
        {
            ApiJson.Print(shell, json =>
            {
                foreach ((string name, object? value) in members)
                {
                    json.Add(name, value);
                }
            });
            return;
        }

        var lines = new LineOutput(shell);
        lines.Write(ValueText.Of(text));
        lines.EndLine();
        lines.Flush();
    }
}
