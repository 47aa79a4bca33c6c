using System.Diagnostics;

namespace Migration;

/// <summary>A running program of the folder <c>programs</c>. Dispose kills it.</summary>
public sealed class PythonProgram : IDisposable
{
    // The system's interpreter comes first, because Debian's python3-zmq is installed for it.
    private const string SystemPython = "/usr/bin/python3";

    private readonly Process _process;

    private PythonProgram(Process process) => _process = process;

    /// <summary>
    /// Starts a program with the interpreter in the variable PYTHON, or with python3. The interpreter needs pyzmq.
    /// </summary>
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

    /// <summary>Waits for a line that begins with the word, and returns the words after it.</summary>
    /// <exception cref="InvalidOperationException">The program ended without such a line.</exception>
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

        throw new InvalidOperationException(
            $"{_process.StartInfo.ArgumentList[0]} ended before it printed a line with \"{word}\".");
    }

    /// <summary>Writes an empty line to its standard input, on which the program continues.</summary>
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
            // The program has already ended.
        }

        _process.Dispose();
    }
}
