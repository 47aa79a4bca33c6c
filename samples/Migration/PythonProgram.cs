using System.Diagnostics;

namespace Migration;

/// <summary>One of the programs in <c>programs</c>. Disposing ends it.</summary>
public sealed class PythonProgram : IDisposable
{
    // The system's own comes first: that is where Debian's python3-zmq is.
    private const string SystemPython = "/usr/bin/python3";

    private readonly Process _process;

    private PythonProgram(Process process) => _process = process;

    /// <summary>Starts it, by the interpreter that the variable PYTHON names, or else by python3. It has to have pyzmq.</summary>
    public static PythonProgram Start(string name, params string[] arguments)
    {
        string file = Path.Combine(AppContext.BaseDirectory, "programs", name + ".py");
        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("PYTHON") ?? (File.Exists(SystemPython) ? SystemPython : "python3"), [file, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        return new PythonProgram(Process.Start(start)!);
    }

    /// <summary>Waits for a line that begins with the word, and answers the words behind it.</summary>
    /// <exception cref="InvalidOperationException">The program has ended without it.</exception>
    public async Task<string[]> ReadAsync(string word)
    {
        while (await _process.StandardOutput.ReadLineAsync().ConfigureAwait(false) is { } line)
        {
            string[] words = line.Split(' ');
            if (words[0] == word)
            {
                return words[1..];
            }
        }

        throw new InvalidOperationException($"{_process.StartInfo.ArgumentList[0]} has ended without \"{word}\".");
    }

    /// <summary>Writes a line to its standard input.</summary>
    public async Task GoOnAsync()
    {
        await _process.StandardInput.WriteLineAsync().ConfigureAwait(false);
        await _process.StandardInput.FlushAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        try
        {
            _process.Kill();
        }
        catch (InvalidOperationException)
        {
            // It has ended.
        }

        _process.Dispose();
    }
}
