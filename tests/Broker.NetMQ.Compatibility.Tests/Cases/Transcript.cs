using System.Collections;
using System.Globalization;
using System.Text;
using NetMQ;

namespace Broker.NetMQCases;

/// <summary>What a case has seen. Two libraries behave alike if their transcripts are equal.</summary>
internal sealed class Transcript
{
    private readonly StringBuilder _lines = new();
    private readonly Lock _gate = new();

    public void Show(string what, object? value) => Add($"{what}: {Text(value)}");

    /// <summary>Shows a result, or the type of the exception.</summary>
    public void Try<T>(string what, Func<T> action)
    {
        try
        {
            Show(what, action());
        }
        catch (Exception failure) when (failure is not ThreadInterruptedException)
        {
            Add($"{what} throws {Describe(failure)}");
        }
    }

    /// <summary>Shows that an action succeeds, or the type of its exception.</summary>
    public void Try(string what, Action action) => Try(what, () =>
    {
        action();
        return "done";
    });

    /// <summary>Shows the exception of an action, and nothing if it succeeds.</summary>
    public void Guard(string what, Action action)
    {
        try
        {
            action();
        }
        catch (Exception failure)
        {
            Add($"{what} throws {Describe(failure)}");
        }
    }

    public override string ToString()
    {
        lock (_gate)
        {
            return _lines.ToString();
        }
    }

    private void Add(string line)
    {
        lock (_gate)
        {
            _lines.Append(line).Append('\n');
        }
    }

    private static string Describe(Exception failure) => failure is NetMQException { ErrorCode: var code }
        ? $"{failure.GetType().FullName} {code}"
        : failure.GetType().FullName!;

    private static string Text(object? value) => value switch
    {
        null => "null",
        string text => $"'{text}'",
        byte[] bytes => Convert.ToHexString(bytes),
        NetMQFrame frame => Convert.ToHexString(frame.ToByteArray()),
        NetMQMessage message => $"[{string.Join(' ', message.Select(frame => Text(frame)))}]",
        IEnumerable list => $"[{string.Join(' ', list.Cast<object?>().Select(Text))}]",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? "",
    };
}
