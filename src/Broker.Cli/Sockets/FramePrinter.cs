using System.Text.Unicode;
using Broker.Cli.Shell;

namespace Broker.Cli.Sockets;

/// <summary>Prints received ZeroMQ messages to standard output.</summary>
internal sealed class FramePrinter(ShellStreams shell, OutputForm form)
{
    private readonly LineOutput _lines = new(shell);

    public void Print(byte[][] frames)
    {
        switch (form)
        {
            case OutputForm.Json:
                WriteJson(frames);
                break;
            case OutputForm.Raw:
                // Frames follow each other without a separator. Other formats show where a frame ends.
                foreach (byte[] frame in frames)
                {
                    _lines.Write(frame);
                }

                break;
            default:
                _lines.Write(string.Join(
                    " | ",
                    frames.Select(f => form == OutputForm.Hex ? Convert.ToHexStringLower(f) : BodyText.Show(f))));
                break;
        }

        _lines.EndLine();
    }

    public void Flush() => _lines.Flush();

    private void WriteJson(byte[][] frames)
    {
        bool isText = Array.TrueForAll(frames, f => Utf8.IsValid(f));
        _lines.WriteJson(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray(isText ? "frames" : "frames_base64");
            foreach (byte[] frame in frames)
            {
                if (isText)
                {
                    json.WriteStringValue(frame);
                }
                else
                {
                    json.WriteBase64StringValue(frame);
                }
            }

            json.WriteEndArray();
            json.WriteEndObject();
        });
    }
}
