using System.Text.Json;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cli.Terminal;

namespace Broker.Cli.Tracing;

/// <summary>Prints the way of a message as lines and a table, or as one JSON object.</summary>
internal static class TracePrinter
{
    public static void WriteText(ShellStreams shell, TraceReport report)
    {
        var lines = new LineOutput(shell);
        string publisher = report.User is { } user ? $"user {user} of account {report.Account}" : $"a client of account {report.Account}";
        WriteLine($"{report.Subject}, published by {publisher}");
        foreach (string step in report.Steps)
        {
            WriteLine("- " + step);
        }

        lines.Flush();
        if (report.Receivers.Count > 0)
        {
            var table = new TextTable(5, "receiver", "account", "subject", "receives", "why");
            foreach (TraceReceiver receiver in report.Receivers)
            {
                table.Add(receiver.Name, receiver.Account, receiver.Subject, Word(receiver.Outcome), receiver.Why);
            }

            table.WriteTo(shell);
        }

        void WriteLine(string text)
        {
            lines.Write(SafeText.OneLine(text));
            lines.EndLine();
        }
    }

    public static void WriteJson(ShellStreams shell, TraceReport report)
    {
        var lines = new LineOutput(shell);
        lines.WriteJson(json =>
        {
            json.WriteStartObject();
            json.WriteString("subject", report.Subject);
            json.WriteString("account", report.Account);
            if (report.User is not null)
            {
                json.WriteString("user", report.User);
            }

            json.WriteBoolean("is_delivered", report.IsDelivered);
            WriteTexts(json, "steps", report.Steps);
            json.WriteStartArray("receivers");
            foreach (TraceReceiver receiver in report.Receivers)
            {
                json.WriteStartObject();
                json.WriteString("receiver", receiver.Name);
                json.WriteString("account", receiver.Account);
                json.WriteString("subject", receiver.Subject);
                json.WriteString("receives", Word(receiver.Outcome));
                json.WriteString("why", receiver.Why);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            WriteTexts(json, "unknown", report.Notes);
            json.WriteEndObject();
        });
        lines.EndLine();
        lines.Flush();
    }

    private static string Word(TraceOutcome outcome) => outcome.ToString().ToLowerInvariant();

    private static void WriteTexts(Utf8JsonWriter json, string name, IEnumerable<string> texts)
    {
        json.WriteStartArray(name);
        foreach (string text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }
}
