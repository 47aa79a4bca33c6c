namespace Broker.Cli.Top;

/// <summary>Shows frames.</summary>
internal interface ITopView
{
    /// <summary>Runs the work while the view is visible.</summary>
    Task<int> ShowAsync(Func<Task<int>> work);

    /// <summary>Shows a frame.</summary>
    /// <param name="frame">The values.</param>
    /// <param name="settings">The order and the view.</param>
    /// <param name="problem">An error of the latest reading, or null. The frame is that of the reading before.</param>
    void Show(TopFrame frame, TopSettings settings, string? problem);

    /// <summary>Waits for the time, or until a key is pressed. Returns the key, or null after the time.</summary>
    Task<char?> WaitAsync(TimeSpan time, CancellationToken stop);
}
